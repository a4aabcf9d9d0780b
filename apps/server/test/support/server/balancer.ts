import { Agent, createServer, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenLocally } from '../../../../../tests/support/listenLocally.ts'
import { until } from '../../../../../tests/support/until.ts'

/**
 * Starts a load balancer that follows only `/readyz`, repeats no request, and keeps its connections. Requests wait
 * while no server is ready, for example if a busy machine responds late to probes.
 */
export async function startBalancer(
  servers: readonly string[],
  everyMs: number,
): Promise<{
  readonly url: string
  /** The servers that currently get requests. */
  ready(): ReadonlySet<string>
  close(): Promise<void>
}> {
  const ready = new Set<string>()
  const agent = new Agent({ keepAlive: true })
  const closing = new AbortController()
  let next = 0

  async function follow(server: string): Promise<void> {
    while (!closing.signal.aborted) {
      const { ok } = await fetch(`${server}/readyz`).catch(() => ({ ok: false }))
      if (ok) ready.add(server)
      else ready.delete(server)
      await sleep(everyMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  function pick(): string {
    next += 1
    const server = [...ready][next % ready.size]
    if (server === undefined) throw new Error('No server is ready.')
    return server
  }

  const following = servers.map(follow)
  const balancer = createServer(async (requested, response) => {
    const { method, url, headers } = requested
    try {
      const server = await until(pick, closing.signal)
      const passed = request(`${server}${url}`, { agent, method, headers }, (serverResponse) => {
        const { connection, ...its } = serverResponse.headers
        response.writeHead(serverResponse.statusCode ?? 0, its)
        serverResponse.pipe(response)
      })
      passed.on('error', (error) => fail(`${server}: ${error.message}`))
      requested.pipe(passed)
    } catch (error) {
      fail((error as Error).message)
    }
    function fail(message: string): void {
      if (!response.headersSent) response.writeHead(502)
      response.end(`${method} ${url}: ${message}`)
    }
  })
  const { url, close } = await listenLocally(balancer)
  return {
    url,
    ready: () => ready,
    async close() {
      closing.abort()
      await Promise.all(following)
      agent.destroy()
      await close()
    },
  }
}
