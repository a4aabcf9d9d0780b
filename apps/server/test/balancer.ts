import { Agent, createServer, request } from 'node:http'
import { listen } from '../../../tests/support/listen.ts'

/** A balancer over servers: it follows `/readyz` alone, repeats nothing, and keeps its connections. */
export async function startBalancer(
  servers: readonly string[],
  everyMs: number,
): Promise<{
  readonly url: string
  /** Those that requests go to now. */
  ready(): ReadonlySet<string>
  close(): Promise<void>
}> {
  const ready = new Set<string>()
  const agent = new Agent({ keepAlive: true })
  let next = 0

  async function probe(server: string): Promise<void> {
    const { ok } = await fetch(`${server}/readyz`).catch(() => ({ ok: false }))
    if (ok) ready.add(server)
    else ready.delete(server)
  }
  const probes = servers.map((server) => setInterval(probe, everyMs, server))

  const balancer = createServer((asked, answer) => {
    next += 1
    const server = [...ready][next % ready.size]
    const { method, url, headers } = asked
    const passed = request(`${server}${url}`, { agent, method, headers }, (answered) => {
      const { connection, ...its } = answered.headers
      answer.writeHead(answered.statusCode ?? 0, its)
      answered.pipe(answer)
    })
    passed.on('error', ({ message }) => {
      answer.writeHead(502)
      answer.end(`${method} ${url} of ${server}: ${message}`)
    })
    asked.pipe(passed)
  })
  const { url, close } = await listen(balancer)
  return {
    url,
    ready: () => ready,
    async close() {
      for (const one of probes) clearInterval(one)
      agent.destroy()
      await close()
    },
  }
}
