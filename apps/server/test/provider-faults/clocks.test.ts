import { startDevChain } from '@payment-intents/testing'
import { expect, onTestFinished, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { payIntent, untilStatus } from '../support/chain/payments.ts'
import { ofFile } from '../support/database/fixtures.ts'
import { merchantApi } from '../support/server/merchantApi.ts'
import { createKey, separateDatabase, startServer } from '../support/server/serverProcess.ts'
import { createIntent, type Json, resolveIntent } from '../support/server/testServer.ts'
import { startReceiver } from '../support/server/webhookReceiver.ts'

const chain = ofFile(
  () => startDevChain({ blockTime: 1 }),
  (running) => running.stop(),
)
const minutes = 60_000
/** A clock that is off by ten minutes differs by far more than this, and a slow machine causes less. */
const near = 2 * minutes

type Env = Readonly<Record<string, string>>

/** No provider listens there. */
const deadRpc = { RPC_URL_BASE_TESTNET: 'http://127.0.0.1:9' }

/** Starts a server whose machine's clock is off by this much. */
async function start(env: Env, shift = 0, more: Env = {}) {
  const shifted = {
    NODE_OPTIONS: `--import ${new URL('../support/server/shiftClock.ts', import.meta.url)}`,
    TEST_CLOCK_SHIFT_MS: String(shift),
  }
  const server = await startServer({ RPC_URL_BASE_TESTNET: chain.url, ...env, ...more, ...shifted })
  onTestFinished(async () => void (await server.end('SIGKILL')))
  return server
}

const offBy = (time: string | number, label = Date.now()) => {
  return Math.abs((typeof time === 'string' ? Date.parse(time) : time) - label)
}

async function expectCorrectTimes(server: Awaited<ReturnType<typeof start>>, apiKey: string) {
  const intent = await createIntent(server, apiKey, { expires_in_minutes: 5 })
  expect(offBy(intent.created_at)).toBeLessThan(near)
  expect(offBy(intent.expires_at, Date.now() + 5 * minutes)).toBeLessThan(near)
  const resolved = await resolveIntent(server, intent.client_secret)
  expect(offBy(resolved.server_time)).toBeLessThan(near)
  const api = merchantApi(server, apiKey)
  const canceled = await createIntent(server, apiKey)
  await api.post(`/v1/payment_intents/${canceled.id}/cancel`)
  const { data } = await api.read('/v1/events', { payment_intent: canceled.id })
  expect(data).toHaveLength(2)
  for (const event of data as Json[]) expect(offBy(event.created_at)).toBeLessThan(near)
  return intent
}

async function expectReported(server: Awaited<ReturnType<typeof start>>, shift: number) {
  const way = shift > 0 ? 'ahead of' : 'behind'
  const sentence = new RegExp(`this machine’s clock is \\d+ seconds ${way} the chain’s`)
  await server.until(async () => {
    const ready = await server.request('/readyz')
    const body = await ready.json()
    expect([ready.status, body.status, body.degraded.join()]).toEqual([
      ...[200, 'degraded', expect.stringMatching(sentence)],
    ])
    expect(Math.sign(body.chains[0].clock_skew_seconds)).toBe(-Math.sign(shift))
  })
  await server.prints(sentence)
  const metrics = await (await server.request('/metrics')).text()
  const [, seconds] = /^payment_intents_clock_skew_seconds\{[^}]*\} (\S+)$/m.exec(metrics) ?? []
  expect(offBy(Number(seconds) * 1_000, -shift)).toBeLessThan(near)
}

test.each(isFull ? [10, -10] : [10])(
  'a server whose clock is %d minutes off uses the chain’s time from the first request on, even if it does not follow',
  async (off) => {
    const env = await separateDatabase()
    const apiKey = await createKey(env.DATABASE_URL)
    const follower = await start(env)
    await createIntent(follower, apiKey)
    await follower.prints(/"msg":"following"/)
    const otherServer = await start(env, off * minutes)
    const intent = await expectCorrectTimes(otherServer, apiKey)
    await expectReported(otherServer, off * minutes)
    await payIntent(chain, intent)
    await untilStatus(otherServer, intent, 'pending_confirmations')
    expect(await resolveIntent(otherServer, intent.client_secret)).toMatchObject({ exceptions: [] })
  },
)

test.each(isFull ? [10, -10] : [-10])(
  'a new server on a chain that nobody has read uses its time if it is %d minutes off, alone or with workers',
  async (off) => {
    const workers = off > 0 ? '1' : '2'
    const env = await separateDatabase()
    const apiKey = await createKey(env.DATABASE_URL)
    const receiver = await startReceiver()
    onTestFinished(() => receiver.close())
    const hosts = { WEBHOOK_ALLOW_HOSTS: new URL(receiver.url).host }
    const server = await start(env, off * minutes, { WORKERS: workers, ...hosts })
    await merchantApi(server, apiKey).post('/v1/webhook_endpoints', { url: receiver.url })
    await Promise.all(Array.from({ length: 4 }, () => expectCorrectTimes(server, apiKey)))
    await server.until(() => expect(receiver.received.length).toBeGreaterThan(4))
    for (const { headers } of receiver.received) {
      expect(offBy(Number(headers['webhook-timestamp']) * 1_000)).toBeLessThan(near)
    }
    await expectReported(server, off * minutes)
  },
)

test('a follower whose clock is off dates nothing wrong, on its own server or another', async () => {
  const env = await separateDatabase()
  const apiKey = await createKey(env.DATABASE_URL)
  const follower = await start(env, 10 * minutes)
  await expectCorrectTimes(follower, apiKey)
  const otherServer = await start(env)
  const intent = await expectCorrectTimes(otherServer, apiKey)
  await payIntent(chain, intent)
  await untilStatus(otherServer, intent, 'pending_confirmations')
  const { data } = await merchantApi(otherServer, apiKey).read('/v1/events', {
    payment_intent: intent.id,
  })
  expect(data).toHaveLength(2)
  for (const event of data as Json[]) expect(offBy(event.created_at)).toBeLessThan(near)
  const ready = await otherServer.request('/readyz')
  expect(await ready.json()).toMatchObject({ status: 'ok', degraded: [] })
  await expectReported(follower, 10 * minutes)
})

test.each(isFull ? [10, -10] : [10])(
  'a server that cannot reach the chain uses its time even if every machine is %d minutes off',
  async (off) => {
    const real = await startDevChain({ blockTime: 1 })
    onTestFinished(() => real.stop())
    await real.rpc('anvil_setTime', [Math.floor((Date.now() - off * minutes) / 1_000)])
    const env = await separateDatabase()
    const apiKey = await createKey(env.DATABASE_URL)
    const follower = await start(env, 0, { RPC_URL_BASE_TESTNET: real.url })
    const firstIntent = await createIntent(follower, apiKey)
    await payIntent(real, firstIntent)
    await untilStatus(follower, firstIntent, 'pending_confirmations')
    const otherServer = await start(env, 0, deadRpc)
    const { created_at } = await createIntent(otherServer, apiKey)
    expect(offBy(created_at, Date.now() - off * minutes)).toBeLessThan(near)
    await expectReported(otherServer, off * minutes)
  },
)
