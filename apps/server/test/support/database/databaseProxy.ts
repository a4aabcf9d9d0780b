import { connect, createServer, type Socket } from 'node:net'
import { listenLocally } from '../../../../../tests/support/listenLocally.ts'

export type DatabaseProxy = {
  /** The URL of the same database, through the proxy. */
  readonly url: string
  /** Lets nothing pass until `restore`, but keeps connections open. */
  silence(): void
  /** Lets nothing pass on open connections, which stay open. New connections work. */
  stall(): void
  /** Breaks all connections, and accepts none until `restore`. */
  cut(): Promise<void>
  /** Breaks open connections, and passes new connections to another PostgreSQL. */
  moveTo(databaseUrl: string): void
  /** Refuses connections until `restore`, like PostgreSQL while it recovers. */
  recover(): Promise<void>
  restore(): Promise<void>
}

/** Starts a proxy in front of PostgreSQL that fails in the ways of a network. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  let target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let silent = false
  let recovering = false
  const server = createServer((near) => {
    if (recovering) {
      near.on('error', () => {})
      near.once('data', () => near.end(startingUp()))
      return
    }
    const far = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      if (silent) socket.pause()
    }
  })
  const { port, close } = await listenLocally(server)
  async function cut(): Promise<void> {
    silent = false
    const closed = close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    silence() {
      silent = true
      for (const socket of sockets) socket.pause()
    },
    stall() {
      for (const socket of sockets) socket.pause()
    },
    cut,
    moveTo(next) {
      target = new URL(next)
      for (const socket of sockets) socket.destroy()
    },
    async recover() {
      await cut()
      recovering = true
      await listenLocally(server, port)
    },
    async restore() {
      silent = false
      recovering = false
      for (const socket of sockets) socket.resume()
      if (!server.listening) await listenLocally(server, port)
    },
  }
}

/** PostgreSQL's ErrorResponse with SQLSTATE 57P03. */
function startingUp(): Buffer {
  const fields = 'SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0'
  const length = Buffer.alloc(4)
  length.writeUInt32BE(4 + fields.length)
  return Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)])
}
