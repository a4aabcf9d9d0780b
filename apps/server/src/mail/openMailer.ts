import MailComposer from 'nodemailer/lib/mail-composer'
import SmtpConnection from 'nodemailer/lib/smtp-connection'
import type { MailConfig } from '../config/mail.ts'

type Mail = {
  /** Identifies the mail, the same in each attempt, so that a recipient's server can detect a copy. */
  readonly id: string
  readonly recipient: string
  readonly subject: string
  readonly text: string
  readonly createdAt: Date
}

export type Mailer = {
  /** @throws {MailError} when the mail server does not accept it */
  send(mail: Mail, signal: AbortSignal): Promise<void>
  /** Connects and logs in, and sends nothing. @throws {MailError} */
  check(signal: AbortSignal): Promise<void>
}

/** The message holds no secret. */
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
  // RFC 5321 requires a client to wait for ten minutes: if it gives up and the server then accepts the mail, the mail is sent twice.
  socketTimeout: 600_000,
  socketCloseTimeout: 0,
}
/** The timeout of the response to `QUIT`, which no caller awaits. */
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

/** Composes the headers and the text to send. */
function compose({ id, recipient, subject, text, createdAt }: Mail, { from }: MailConfig) {
  const domain = from.address.slice(from.address.indexOf('@') + 1)
  const composer = new MailComposer({
    from,
    // An object is not parsed as a list of addresses.
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
      // Report the error before the connection ends, or the end would count as the reason.
      if (error) reject(withoutPassword(error, config))
      else resolve()
      if (error) return connection.close()
      connection.quit()
      setTimeout(() => connection.close(), quitMs).unref()
    }
    // Later errors, and errors while it quits, change nothing.
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

/** Removes the password: a mail server's response may repeat what it received. */
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
