import { connect } from 'node:net'
import type { Request } from './load.ts'

export type Connection = {
  /** Resolves to the HTTP status once the whole response is here. */
  send(request: Request): Promise<number>
  close(): void
}

/**
 * A connection that is kept alive, with one request at a time. It reads only where a response ends: undici takes twice
 * the CPU, which the server would lack.
 */
export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port, host } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let waiting: PromiseWithResolvers<number> | null = null
  /** Why no further response can arrive. */
  let broken: Error | null = null
  let status = 0
  let missing = 0
  const opened = Promise.withResolvers<void>()
  socket.once('connect', opened.resolve)
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('The server closed the connection.')))
  socket.on('data', (chunk) => {
    try {
      missing -= status ? chunk.length : readHead(chunk)
    } catch (error) {
      fail(error as Error)
    }
    if (missing > 0) return
    const request = waiting
    const result = status
    waiting = null
    status = 0
    missing = 0
    request?.resolve(result)
  })
  await opened.promise

  function fail(error: Error): void {
    broken ??= error
    opened.reject(broken)
    waiting?.reject(broken)
    waiting = null
  }

  /** Headers fit into the first chunk. @returns how much of the response is here, less its whole length */
  function readHead(chunk: Buffer): number {
    const end = chunk.indexOf('\r\n\r\n')
    const head = chunk.toString('latin1', 0, end).toLowerCase()
    const at = head.indexOf('\r\ncontent-length: ')
    if (end < 0 || at < 0) throw new Error(`This response has no known length:\n${head}`)
    status = Number(head.slice(9, 12))
    return chunk.length - (end + 4) - Number.parseInt(head.slice(at + 18, at + 30), 10)
  }

  return {
    send({ method, path, apiKey, idempotencyKey, body }) {
      const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '')
      if (broken) return Promise.reject(broken)
      waiting = Promise.withResolvers()
      socket.write(
        `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${apiKey ? `authorization: Bearer ${apiKey}\r\n` : ''}${
          idempotencyKey ? `idempotency-key: ${idempotencyKey}\r\n` : ''
        }${
          body === undefined
            ? ''
            : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`
        }\r\n${text}`,
      )
      return waiting.promise
    },
    close: () => void socket.destroy(),
  }
}
