import MailComposer from 'nodemailer/lib/mail-composer'
import SmtpConnection from 'nodemailer/lib/smtp-connection'
import type { MailConfig } from '../config/mail.ts'

type Mail = {
  /** Names the mail, the same at each attempt, so that a recipient's server may know a copy. */
  readonly id: string
  readonly recipient: string
  readonly subject: string
  readonly text: string
  readonly createdAt: Date
}

export type Mailer = {
  /** @throws {MailError} when the mail server did not take it */
  send(mail: Mail, signal: AbortSignal): Promise<void>
  /** Connects and logs in, and sends nothing. @throws {MailError} */
  check(signal: AbortSignal): Promise<void>
}

/** Has no secret in it. */
export class MailError extends Error {
  /** nodemailer's, such as `EAUTH`; `ABORTED` at the signal. */
  readonly code: string
  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

/** Milliseconds. */
const timeouts = {
  connectionTimeout: 15_000,
  greetingTimeout: 30_000,
  // RFC 5321 has a client wait for ten minutes: one that gives up a mail which the server then takes sends it twice.
  socketTimeout: 600_000,
  socketCloseTimeout: 0,
}
/** For the response to `QUIT`, which nobody waits for. */
const quitMs = 2_000
/** Timeout of a mail, however often data arrives. */
const longestMs = 900_000

/** Sends mail by one SMTP server, with a connection for each mail. */
export function openMailer(config: MailConfig): Mailer {
  return {
    async send(mail, signal) {
      const message = await compose(mail, config)
      const { address: from } = config.from
      const limits = AbortSignal.any([signal, AbortSignal.timeout(longestMs)])
      await connected(config, limits, (connection, done) =>
        connection.send({ from, to: [mail.recipient] }, message, done),
      )
    },
    check: (signal) => connected(config, signal, (_, done) => done(null)),
  }
}

/** Headers and text as they are sent. */
function compose({ id, recipient, subject, text, createdAt }: Mail, { from }: MailConfig) {
  const domain = from.address.slice(from.address.indexOf('@') + 1)
  const composer = new MailComposer({
    from,
    // As an object it is no list of addresses.
    to: { name: '', address: recipient },
    ...{ subject, text, date: createdAt, messageId: `<${id}@${domain}>` },
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
  return composer.compile().build()
}

type Done = (error: Error | null | undefined) => void

/** Connects, logs in and works; destroys the connection at the signal. */
function connected(
  config: MailConfig,
  signal: AbortSignal,
  work: (connection: SmtpConnection, done: Done) => void,
): Promise<void> {
  const { host, port, secure, login } = config
  const connection = new SmtpConnection({
    ...{ host, port, secure, ...timeouts, requireTLS: !secure && !config.isLocal },
    tls: { rejectUnauthorized: !config.isLocal, servername: undefined },
  })
  return new Promise<void>((resolve, reject) => {
    const abort = () => settle(new MailError('The attempt was ended.', 'ABORTED'))
    const settle: Done = (error) => {
      signal.removeEventListener('abort', abort)
      // Before the end of the connection, which would be taken for the reason.
      if (error) reject(withoutPassword(error, config))
      else resolve()
      if (error) return connection.close()
      connection.quit()
      setTimeout(() => connection.close(), quitMs).unref()
    }
    // Errors after the first, or while it quits, change nothing.
    connection.on('error', settle)
    connection.once('end', () => settle(new MailError('The mail server hung up.', 'ECONNECTION')))
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    connection.connect((error) => {
      if (error) return settle(error)
      if (!login) return work(connection, settle)
      const { user, password: secret } = login
      connection.login({ credentials: { user, pass: secret } }, (refused) => {
        if (refused) settle(refused)
        else work(connection, settle)
      })
    })
  })
}

/** A mail server's response may repeat what it was sent. */
function withoutPassword(error: Error & { code?: string }, { login }: MailConfig): MailError {
  const { message, code = 'ESMTP' } = error
  const { user = '', password = '' } = login ?? {}
  const secrets = login
    ? [password, base64(password), base64(`\0${user}\0${password}`), encodeURIComponent(password)]
    : []
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message)
  return new MailError(safe.replaceAll(/\s+/g, ' ').slice(0, 300), code)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
