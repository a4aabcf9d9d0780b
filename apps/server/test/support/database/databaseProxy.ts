import { connect, createServer, type Socket } from 'node:net'
import { listenLocally } from '../../../../../tests/support/listenLocally.ts'

export type DatabaseProxy = {
  /** The URL of the same database, through the proxy. */
  readonly url: string
  /** Connections stay open, and nothing passes any longer, until `restore`. */
  silence(): void
  /** Nothing passes any longer on open connections, which stay open; new connections work. */
  stall(): void
  /** Connections break, and none is accepted any longer, until `restore`. */
  cut(): Promise<void>
  /** Open connections break, and new connections go to another PostgreSQL. */
  moveTo(databaseUrl: string): void
  /** Connections are refused as PostgreSQL does while it recovers, until `restore`. */
  recover(): Promise<void>
  restore(): Promise<void>
}

/** A proxy in front of PostgreSQL, with the ways in which a network fails. */
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

/** PostgreSQL's ErrorResponse of SQLSTATE 57P03. */
function startingUp(): Buffer {
  const fields = 'SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0'
  const length = Buffer.alloc(4)
  length.writeUInt32BE(4 + fields.length)
  return Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)])
}
