import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { listenLocally } from '../../support/listenLocally.ts'
import type { Report, Work } from './agent/runAgent.ts'

type Handlers = {
  readonly work: Work
  /** Resolves when the server of a call has its first request. */
  readonly received: (index: number) => Promise<unknown>
  /** The agent goes on to its next call when this resolves. */
  readonly report: (index: number, report: Report) => Promise<unknown>
}

/** The HTTP server that an agent gets its work from and reports to. */
export async function startControl({ work, received, report }: Handlers) {
  const server = createServer(async (request, response) => {
    const [, route = '', index = ''] = request.url?.split('/') ?? []
    if (route === 'received') await received(Number(index))
    if (route === 'report') await report(Number(index), (await json(request)) as Report)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(route === 'work' ? work : {}))
  })
  return listenLocally(server)
}
