import { createServer, type IncomingHttpHeaders } from 'node:http'
import { json } from 'node:stream/consumers'
import { listenLocally } from '../../../tests/support/listenLocally.ts'

export type RequestOf = {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

export type ResponseOf =
  | { status: number; body: unknown; headers?: Record<string, string> }
  | 'reset'

/** An API that fails on demand, for tests of the shop's error handling. */
export async function startStandInApi(
  respond: (requested: RequestOf) => ResponseOf | Promise<ResponseOf>,
) {
  const server = createServer(async (request, response) => {
    const body = request.method === 'GET' ? {} : ((await json(request)) as RequestOf['body'])
    const result = await respond({ path: request.url, headers: request.headers, body })
    if (result === 'reset') return request.socket.destroy()
    response.writeHead(result.status, {
      'content-type': 'application/json',
      ...result.headers,
    })
    response.end(JSON.stringify(result.body))
  })
  return listenLocally(server)
}
