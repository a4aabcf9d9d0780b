import { expect, onTestFinished, test } from 'vitest'
import { slowness } from '../../../../tests/support/patience.ts'
import { isFull } from '../../../../tests/support/tier.ts'
import { until } from '../../../../tests/support/until.ts'
import { chainOfFile } from '../support/chain/chainServer.ts'
import { startBalancer } from '../support/server/balancer.ts'
import {
  createKey,
  type ServerProcess,
  separateDatabase,
  startServer,
} from '../support/server/serverProcess.ts'

const chain = chainOfFile()

/** Two servers restart in turn, in the full tier twice each. */
const restarts = isFull ? 4 : 2
const perSecond = (isFull ? 200 : 40) / slowness

test.each(isFull ? ['1', '2'] : ['1'])(
  'servers of %s workers restart in turn behind a balancer, and no request fails',
  async (workers) => {
    const env = {
      ...(await separateDatabase()),
      RPC_URL_BASE_TESTNET: chain.url,
      WORKERS: workers,
      LOG_LEVEL: 'warn',
      RESOLVES_PER_ADDRESS: '1000000',
      // A probe takes up to a second, or a little longer on a busy machine.
      SHUTDOWN_DELAY_SECONDS: String(Math.ceil(3 * slowness)),
    }
    const apiKey = await createKey(env.DATABASE_URL)
    const servers = await Promise.all([startServer(env), startServer(env)])
    const balancer = await startBalancer(
      servers.map(({ url }) => url),
      100 * slowness,
    )
    onTestFinished(async () => {
      for (const server of servers) await server.end('SIGKILL')
      await balancer.close()
    })
    const bothReady = () => until(() => expect(balancer.ready().size).toBe(2))
    await bothReady()
    const load = startLoad(balancer.url, apiKey)

    for (let restart = 0; restart < restarts; restart += 1) {
      const index = restart % servers.length
      const server = servers[index] as ServerProcess
      const sent = load.sent()
      expect(await server.end('SIGTERM')).toBe(0)
      expect([...balancer.ready()]).not.toContain(server.url)
      servers[index] = await startServer({ ...env, PORT: new URL(server.url).port })
      await bothReady()
      // The new server gets its share of requests before the other stops.
      await until(() => expect(load.sent()).toBeGreaterThan(sent + perSecond))
      expect(load.failures()).toEqual([])
    }

    load.stop()
    // Held requests get a response when their server stops.
    for (const server of servers) expect(await server.end('SIGTERM')).toBe(0)
    await load.ended()
    expect(load.failures()).toEqual([])
  },
)

/** Sends the requests of shops and their pages, without a wait for earlier responses. */
function startLoad(url: string, apiKey: string) {
  const authorization = `Bearer ${apiKey}`
  const failures: string[] = []
  const running = new Set<Promise<void>>()
  const created: { id: string; client_secret: string }[] = []
  let sent = 0

  async function request(path: string, body?: object) {
    const method = body ? 'POST' : 'GET'
    const headers = { authorization, ...(body ? { 'content-type': 'application/json' } : {}) }
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
    const response = await fetch(`${url}/v1/${path}`, init)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${response.status} ${text}`)
    return JSON.parse(text)
  }

  async function send(turn: number): Promise<void> {
    const { id, client_secret } = created.at(-1 - (turn % 40)) ?? {}
    if (!id || turn % 5 < 2)
      created.push(await request('payment_intents', { amount_units: 5_000_000 }))
    else if (turn % 5 === 2) await request(`payment_intents/${id}`)
    else if (turn % 5 === 3) await request('payment_intents/resolve', { client_secret })
    else
      await request('payment_intents/resolve', {
        client_secret,
        after_version: 1,
        wait_seconds: 25,
      })
  }

  const timer = setInterval(() => {
    sent += 1
    const sending = send(sent).catch(({ message, cause }: Error) => {
      failures.push(`${message} ${cause ?? ''}`)
    })
    running.add(sending)
    void sending.then(() => running.delete(sending))
  }, 1_000 / perSecond)
  return {
    sent: () => sent,
    failures: () => failures,
    stop: () => clearInterval(timer),
    ended: () => Promise.all(running),
  }
}
