import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** A mail as it arrived. */
type ReceivedMail = {
  readonly from: string
  readonly to: readonly string[]
  readonly isEncrypted: boolean
  /** Headers and body. */
  readonly raw: string
  /** The headers by their lower-case names, unfolded. */
  readonly headers: ReadonlyMap<string, string>
}

export type MailServer = {
  readonly url: string
  readonly port: number
  readonly received: ReceivedMail[]
  /** The number of connections so far. */
  connections(): number
  /** Decides whether mails are accepted, refused, or get no response from now on. */
  replyWith(how: 'take' | 'refuse' | 'hang'): void
  close(): Promise<void>
}

/** Starts a real SMTP server that stores its mails. It offers STARTTLS with a self-signed certificate. */
export async function startMailServer(
  options: { port?: number; login?: { user: string; password: string } } = {},
): Promise<MailServer> {
  const { login } = options
  const received: ReceivedMail[] = []
  let connections = 0
  let now: 'take' | 'refuse' | 'hang' = 'take'
  const server = new SMTPServer({
    authOptional: !login,
    // Without a logger, the server prints no warning about its certificate.
    logger: false,
    disableReverseLookup: true,
    onConnect(_, callback) {
      connections += 1
      callback()
    },
    onAuth({ username, password }, _, callback) {
      const isValid = username === login?.user && password === login?.password
      // A careless server repeats the password.
      if (isValid) callback(null, { user: username })
      else callback(new Error(`No such login: ${username} ${password}`))
    },
    onData(stream, { envelope, secure }, callback) {
      text(stream).then((raw) => {
        if (now === 'refuse') return callback(new Error('Out of space'))
        if (now === 'hang') return
        const { mailFrom, rcptTo } = envelope
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          isEncrypted: secure,
          raw,
          headers: headersOf(raw),
        })
        callback()
      }, callback)
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.server.address() as AddressInfo
  const by = login ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@` : ''
  return {
    ...{ url: `smtp://${by}127.0.0.1:${port}`, port, received },
    connections: () => connections,
    replyWith(how) {
      now = how
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function headersOf(raw: string): Map<string, string> {
  const [head = ''] = raw.split('\r\n\r\n', 1)
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
}
