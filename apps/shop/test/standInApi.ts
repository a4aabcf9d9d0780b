import { createServer, type IncomingHttpHeaders } from 'node:http'
import { json } from 'node:stream/consumers'
import { listen } from '../../../tests/support/listen.ts'

export type Asked = {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

export type Answered = { status: number; body: unknown; headers?: Record<string, string> } | 'reset'

/** An API that fails on demand, for tests of the shop's error handling. */
export async function startStandInApi(answer: (asked: Asked) => Answered | Promise<Answered>) {
  const server = createServer(async (request, response) => {
    const body = request.method === 'GET' ? {} : ((await json(request)) as Asked['body'])
    const answered = await answer({ path: request.url, headers: request.headers, body })
    if (answered === 'reset') return request.socket.destroy()
    response.writeHead(answered.status, { 'content-type': 'application/json', ...answered.headers })
    response.end(JSON.stringify(answered.body))
  })
  return listen(server)
}
