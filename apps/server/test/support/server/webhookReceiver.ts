import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { listenLocally } from '../../../../../tests/support/listenLocally.ts'

type Received = {
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** Unix milliseconds. */
  at: number
}

/** A receiver responds with a status, perhaps with headers or a body, with an endless body, or never. */
type Reply =
  | number
  | { status: number; headers: Record<string, string>; body?: string }
  | 'drip'
  | 'hang'

export type Receiver = {
  url: string
  received: Received[]
  /** Applies from the next request on. */
  replyWith(reply: Reply | ((received: Received) => Reply)): void
  /** Responds to hanging requests, by default with 200. */
  release(status?: number, headers?: Record<string, string>): void
  /** The number of open connections. */
  connections(): number
  mostConnections(): number
  close(): Promise<void>
}

/** Starts a real HTTP server that stores its requests. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let reply: Reply | ((received: Received) => Reply) = 200
  const hanging = new Set<ServerResponse>()
  let open = 0
  let limit = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const delivery = { path: request.url ?? '', headers: request.headers, body, at: Date.now() }
      received.push(delivery)
      const now = typeof reply === 'function' ? reply(delivery) : reply
      if (now === 'hang') return void hanging.add(response)
      if (now === 'drip') {
        const dripping = setInterval(() => response.write('.'), 10)
        response.writeHead(200).on('close', () => clearInterval(dripping))
        return
      }
      const { status, headers, body: text } = typeof now === 'number' ? statusOnly(now) : now
      response.writeHead(status, headers).end(text)
    })
  })
  server.on('connection', (socket) => {
    open += 1
    limit = Math.max(limit, open)
    socket.on('close', () => {
      open -= 1
    })
  })
  return {
    ...(await listenLocally(server)),
    received,
    replyWith(next) {
      reply = next
    },
    release(status = 200, headers = {}) {
      for (const response of hanging) response.writeHead(status, headers).end()
      hanging.clear()
    },
    connections: () => open,
    mostConnections: () => limit,
  }
}

function statusOnly(status: number): {
  status: number
  headers: Record<string, string>
  body?: string
} {
  return { status, headers: {} }
}
