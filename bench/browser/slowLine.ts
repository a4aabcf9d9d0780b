import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenLocally } from '../../tests/support/listenLocally.ts'

export type Speed = {
  /** The delay of each request, and twice when a connection is made. */
  readonly roundTripMs: number
  readonly downKbit: number
  readonly upKbit: number
}

export type SlowLine = {
  /** Where a local server is reached over this line, as an origin of its own. */
  to(url: string): Promise<string>
  /** Closes the connections, as the time between two visits does. */
  hangUp(): void
  close(): void
}

/** Returns when so many bytes sent now arrive: those sent before them come first. */
type Way = (bytes: number) => number

/**
 * A line whose two ways are shared by all its connections. A new connection takes two round trips first, as TCP and
 * TLS 1.3 do; nothing starts slowly and nothing is lost. Chromium's own throttling knows neither connections nor
 * the preflights of https://fetch.spec.whatwg.org/#cors-preflight-fetch.
 */
export function createSlowLine({ roundTripMs, downKbit, upKbit }: Speed): SlowLine {
  const up = createWay(upKbit, roundTripMs / 2)
  const down = createWay(downKbit, roundTripMs / 2)
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  const hangUp = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    hangUp,
    async to(url) {
      const { hostname, port } = new URL(url)
      const server = createServer((near) => {
        const far = connect(Number(port), hostname)
        succeed(near, far, { way: up, notBefore: performance.now() + 2.5 * roundTripMs })
        succeed(far, near, { way: down, notBefore: 0 })
        for (const socket of [near, far]) {
          sockets.add(socket)
          socket.on('close', () => sockets.delete(socket))
          // A page that is closed resets its connections.
          socket.on('error', () => {})
        }
      })
      servers.push(server)
      return (await listenLocally(server)).url
    },
    close() {
      hangUp()
      for (const server of servers) server.close()
    },
  }
}

function createWay(kbit: number, delayMs: number): Way {
  let free = 0
  return (bytes) => {
    free = Math.max(free, performance.now()) + (bytes * 8) / kbit
    return free + delayMs
  }
}

type Passing = { readonly way: Way; readonly notBefore: number }

/** Passes the data of one socket to the other, in order, each part when it arrives. */
function succeed(from: Socket, to: Socket, { way, notBefore }: Passing): void {
  let passed = Promise.resolve()
  from.on('data', (bytes) => {
    const arrival = Math.max(way(bytes.length), notBefore)
    passed = passed.then(async () => {
      await sleep(arrival - performance.now())
      to.write(bytes)
    })
  })
  from.on('close', () => passed.then(() => to.end()))
}
