import { request } from 'node:http'
import { connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'

export type Sent = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export type ResponseOf = {
  readonly status: string
  /** The headers as written, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** Sends a request on a new connection, with only the headers that HTTP requires. */
export function send(origin: string, { method, path, headers, body }: Sent): Promise<ResponseOf> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const { rawHeaders, statusCode, statusMessage } = response
      const pairs = rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
      )
      const status = `${statusCode} ${statusMessage}`
      buffer(response).then((body) => resolve({ status, headers: pairs, body }), reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/**
 * Sends bytes that are not a request.
 * @returns the whole response
 */
export async function sendBytes(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  return text(socket)
}
