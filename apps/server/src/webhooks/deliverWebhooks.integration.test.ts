import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { until } from '../../../../tests/support/until.ts'
import { ofTest } from '../../test/support/database/fixtures.ts'
import { countWaiting, lock } from '../../test/support/database/locks.ts'
import { merchantApi } from '../../test/support/server/merchantApi.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  startTestServer,
  type TestServer,
} from '../../test/support/server/testServer.ts'
import { startReceiver } from '../../test/support/server/webhookReceiver.ts'
import { hasClaims } from '../store/webhook-endpoints/deliveries.ts'

let server: TestServer
const receiver = ofTest(startReceiver, (receiver) => receiver.close())
let apiKey: string

beforeAll(async () => {
  server = await startTestServer({ webhooks: 'delivering' })
})
afterAll(() => server.close())
beforeEach(async () => {
  apiKey = (await createTestMerchant(server.db)).apiKey
})

/** Makes the wait so long that no second attempt comes before the test triggers it. */
const later = { 'retry-after': '3600' }

const call = async (method: string, path: string, body?: object): Promise<Json> =>
  (await merchantApi(server, apiKey).send(method, path, body)).json()
const register = (more: object = {}) =>
  call('POST', '/v1/webhook_endpoints', { url: `${receiver.url}/hooks`, ...more })
/** An endpoint with this response, and an event sent to it. */
const registerSent = async (...[reply]: Parameters<typeof receiver.replyWith>): Promise<Json> => {
  receiver.replyWith(reply)
  const endpoint = await register()
  await createIntent(server, apiKey)
  return endpoint
}
const deliveriesOf = async ({ id }: Json) =>
  (await call('GET', `/v1/webhook_endpoints/${id}/deliveries?limit=100`)).data
const untilDeliveries = (endpoint: Json, expected: object[]) =>
  until(async () => expect(await deliveriesOf(endpoint)).toMatchObject(expected))
const untilReceived = (count: number, by = receiver) =>
  until(() => expect(by.received).toHaveLength(count))
/** Makes waiting attempts due now. First waits for attempts in progress, which would overwrite that. */
const hurry = async ({ id }: Json) => {
  await until(async () => expect(await hasClaims(server.db.pool, id)).toBe(false))
  await server.db.pool.query(
    "with due as (update webhook_deliveries set due_at = now() where endpoint_id = $1 and due_at is not null returning 1) select pg_notify('webhook_due', '') from due",
    [id],
  )
}

const loggedOf = ({ id }: Json) =>
  server.logs
    .map((line): Json => JSON.parse(line))
    .flatMap(({ endpoint, level, msg }) => (endpoint === id ? [`${level} ${msg}`] : []))

test('an event arrives once, signed, byte for byte as the API returns it', async () => {
  const endpoint = await register()
  const { secret } = endpoint
  const intent = await createIntent(server, apiKey, { metadata: { name: 'Ångström 🛒' } })
  await untilReceived(1)
  await until(() => expect(loggedOf(endpoint)).toEqual(['debug webhook delivered']))
  const [delivery] = receiver.received
  const event = JSON.parse(delivery?.body ?? '')
  expect(event).toMatchObject({
    type: 'payment_intent.created',
    data: { object: { id: intent.id } },
  })
  const read = await merchantApi(server, apiKey).get(`/v1/events/${event.id}`)
  expect(await read.text()).toBe(delivery?.body)
  const headers = delivery?.headers as Record<string, string>
  expect(headers['webhook-id']).toBe(event.id)
  expect(new Webhook(secret).verify(delivery?.body ?? '', headers)).toEqual(event)
  new SvixWebhook(secret).verify(delivery?.body ?? '', headers)
})

test('a failure is retried with the same id until it succeeds', async () => {
  const endpoint = await registerSent({ status: 500, headers: later })
  await untilDeliveries(endpoint, [{ status: 'pending', attempts: 1, response_status: 500 }])
  receiver.replyWith(204)
  await hurry(endpoint)
  await untilDeliveries(endpoint, [{ status: 'succeeded', attempts: 2, response_status: 204 }])
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(1)
})

test('an event that the endpoint does not subscribe to, or that is older than it, is not sent', async () => {
  await createIntent(server, apiKey)
  const endpoint = await register({ enabled_events: ['payment_intent.canceled'] })
  const { id } = await createIntent(server, apiKey)
  await call('POST', `/v1/payment_intents/${id}/cancel`)
  await untilReceived(1)
  expect(await deliveriesOf(endpoint)).toMatchObject([{ event_type: 'payment_intent.canceled' }])
})

test.each([
  [301, { location: 'http://127.0.0.1:1/elsewhere' }],
  [404, {}],
  [500, {}],
])('%d is a failure, and no redirect is followed', async (status, headers) => {
  const endpoint = await registerSent({ status, headers: { ...headers, ...later } })
  await untilDeliveries(endpoint, [{ status: 'pending', response_status: status }])
  expect(receiver.received).toHaveLength(1)
})

test('Retry-After counts if it is longer than the schedule', async () => {
  const endpoint = await registerSent({ status: 503, headers: later })
  await until(async () => {
    const [delivery] = await deliveriesOf(endpoint)
    const wait = Date.parse(delivery.next_attempt_at) - Date.parse(delivery.last_attempt_at)
    expect(wait).toBeGreaterThanOrEqual(3_600_000)
  })
})

test('a delivery is given up after the last attempt, and recovery sends it again', async () => {
  const endpoint = await registerSent({ status: 500, headers: later })
  for (let attempts = 1; attempts <= 10; attempts += 1) {
    await untilDeliveries(endpoint, [{ attempts }])
    await hurry(endpoint)
  }
  await untilDeliveries(endpoint, [{ status: 'failed', attempts: 10, next_attempt_at: null }])
  const failed = Array.from({ length: 8 }, () => 'debug webhook failed')
  expect(loggedOf(endpoint)).toEqual(['warn webhook failed', ...failed, 'warn webhook given up'])
  receiver.replyWith(200)
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const path = `/v1/webhook_endpoints/${endpoint.id}/recover`
  expect(await call('POST', path, { since })).toEqual({ deliveries: 1 })
  await untilDeliveries(endpoint, [{ status: 'succeeded' }])
  expect(await call('POST', path, { since })).toEqual({ deliveries: 0 })
  expect(loggedOf(endpoint).at(-1)).toBe('info webhooks are delivered to an endpoint again')
})

test('an endpoint that responds that it is gone is disabled, and the others get an event', async () => {
  const otherReceiver = await startReceiver()
  await register({ url: otherReceiver.url, enabled_events: ['webhook_endpoint.disabled'] })
  const endpoint = await registerSent(410)
  await untilReceived(1, otherReceiver)
  expect(JSON.parse(otherReceiver.received[0]?.body ?? '')).toMatchObject({
    type: 'webhook_endpoint.disabled',
    sequence: 1,
    data: { object: { id: endpoint.id, status: 'disabled', disabled_reason: 'gone' } },
  })
  await createIntent(server, apiKey)
  expect(await deliveriesOf(endpoint)).toHaveLength(1)
  await otherReceiver.close()
})

test('deliveries in progress at an endpoint that is gone end, too', async () => {
  const endpoint = await registerSent(() => (receiver.received.length === 1 ? 'hang' : 410))
  await untilReceived(1)
  await createIntent(server, apiKey)
  await untilDeliveries(endpoint, [
    { attempts: 1, response_status: 410 },
    { attempts: 0, error: null },
  ])
  expect(await call('GET', `/v1/webhook_endpoints/${endpoint.id}`)).toMatchObject({
    disabled_reason: 'gone',
  })
})

test('a gone URL does not disable its replacement', async () => {
  const otherReceiver = await startReceiver()
  const endpoint = await registerSent('hang')
  await untilReceived(1)
  await call('PATCH', `/v1/webhook_endpoints/${endpoint.id}`, { url: otherReceiver.url })
  receiver.release(410, later)
  await untilDeliveries(endpoint, [{ response_status: 410 }])
  await hurry(endpoint)
  await untilDeliveries(endpoint, [{ status: 'succeeded', attempts: 2 }])
  await otherReceiver.close()
})

test('an attempt that another process took over does not disable the endpoint', async () => {
  const endpoint = await registerSent('hang')
  await untilReceived(1)
  await server.db.pool.query(
    'update webhook_deliveries set attempts = attempts + 1 where endpoint_id = $1',
    [endpoint.id],
  )
  receiver.release(410)
  receiver.replyWith(200)
  for (const sent of [2, 3]) {
    await createIntent(server, apiKey)
    await until(async () => {
      const deliveries = await deliveriesOf(endpoint)
      expect(deliveries).toHaveLength(sent)
      expect(deliveries[0]).toMatchObject({ status: 'succeeded' })
    })
  }
})

test('an endpoint where every delivery failed for five days is disabled', async () => {
  const endpoint = await registerSent({ status: 500, headers: later })
  const read = () => call('GET', `/v1/webhook_endpoints/${endpoint.id}`)
  await until(async () => expect((await read()).failing_since).not.toBeNull())
  await server.db.pool.query(
    "update webhook_endpoints set failing_since = now() - interval '5 days 1 second' where id = $1",
    [endpoint.id],
  )
  await hurry(endpoint)
  await until(async () => {
    expect(await read()).toMatchObject({ status: 'disabled', disabled_reason: 'failing' })
  })
  receiver.replyWith(200)
  await call('PATCH', `/v1/webhook_endpoints/${endpoint.id}`, { status: 'enabled' })
  await hurry(endpoint)
  await untilDeliveries(endpoint, [{ status: 'succeeded' }])
  expect(await read()).toMatchObject({ status: 'enabled', failing_since: null })
})

describe('an endpoint that hangs', () => {
  async function startServer(timeoutMs: number): Promise<void> {
    const usual = { server, apiKey }
    server = await startTestServer({ webhooks: 'delivering', poster: { timeoutMs } })
    apiKey = (await createTestMerchant(server.db)).apiKey
    onTestFinished(async () => {
      await server.close()
      ;({ server, apiKey } = usual)
    })
  }

  test('delays no other endpoint', async () => {
    await startServer(10 * patience)
    const dead = await startReceiver()
    dead.replyWith('hang')
    await register({ url: dead.url })
    await register()
    for (let index = 0; index < 40; index += 1) await createIntent(server, apiKey)
    await untilReceived(40)
    expect(dead.received.length).toBeLessThanOrEqual(16)
    await dead.close()
  })

  test('times out, which the merchant can see', async () => {
    const timeoutMs = 500
    await startServer(timeoutMs)
    receiver.replyWith('hang')
    const endpoint = await register()
    const before = performance.now()
    await createIntent(server, apiKey)
    await until(async () => {
      const error = 'The endpoint sent no response within 0.5 seconds.'
      expect(await deliveriesOf(endpoint)).toMatchObject([{ error, response_status: null }])
    })
    expect(performance.now() - before).toBeGreaterThanOrEqual(timeoutMs)
    await until(() => expect(receiver.connections()).toBe(0))
  })

  test('has fifteen seconds to respond', async () => {
    const limit = vi.spyOn(AbortSignal, 'timeout')
    onTestFinished(() => limit.mockRestore())
    await register()
    await createIntent(server, apiKey)
    await untilReceived(1)
    expect(limit).toHaveBeenCalledWith(15_000)
  })
})

test('disabling an endpoint ends its deliveries in progress, and enabling resumes them', async () => {
  const endpoint = await registerSent('hang')
  await untilReceived(1)
  await call('PATCH', `/v1/webhook_endpoints/${endpoint.id}`, { status: 'disabled' })
  await until(() => expect(receiver.connections()).toBe(0))
  receiver.replyWith(200)
  await call('PATCH', `/v1/webhook_endpoints/${endpoint.id}`, { status: 'enabled' })
  await untilDeliveries(endpoint, [{ status: 'succeeded', attempts: 1 }])
})

test('a deleted endpoint gets nothing more, not even a delivery in progress', async () => {
  const endpoint = await registerSent('hang')
  await untilReceived(1)
  await call('DELETE', `/v1/webhook_endpoints/${endpoint.id}`)
  expect(await call('GET', `/v1/webhook_endpoints/${endpoint.id}`)).toMatchObject({
    error: 'not_found',
  })
  await until(() => expect(receiver.connections()).toBe(0))
  receiver.replyWith(200)
  const otherReceiver = await startReceiver()
  await register({ url: otherReceiver.url })
  await createIntent(server, apiKey)
  await untilReceived(1, otherReceiver)
  expect(receiver.received).toHaveLength(1)
  await otherReceiver.close()
})

test('if the database refuses an outcome, the others are still written', async () => {
  const firstReceiver = await startReceiver()
  onTestFinished(() => firstReceiver.close())
  for (const hangingReceiver of [firstReceiver, receiver]) hangingReceiver.replyWith('hang')
  const slow = await register({ url: firstReceiver.url })
  const endpoints: Json[] = []
  for (let count = 0; count < 5; count++) endpoints.push(await register())
  const [refused, ...others] = endpoints as [Json, ...Json[]]
  await createIntent(server, apiKey)
  await untilReceived(5)
  await untilReceived(1, firstReceiver)
  const { pool } = server.db
  await pool.query(
    `alter table webhook_deliveries add constraint refuses
     check (endpoint_id <> '${refused.id}' or delivered_at is null)`,
  )
  onTestFinished(async () => {
    await pool.query('alter table webhook_deliveries drop constraint refuses')
  })
  // While the first outcome waits to be written, the others collect for the next write.
  const unlock = await lock(
    server.db,
    'select from webhook_deliveries where endpoint_id = $1 for update',
    [slow.id],
  )
  firstReceiver.release()
  await until(async () => expect(await countWaiting(server.db)).toBe(1))
  receiver.release()
  await until(() => {
    for (const endpoint of endpoints)
      expect(loggedOf(endpoint)).toEqual(['debug webhook delivered'])
  })
  await unlock()
  // One attempt each: the refused outcome repeats no other delivery.
  for (const other of others) await untilDeliveries(other, [{ status: 'succeeded', attempts: 1 }])
  expect(await deliveriesOf(refused)).toMatchObject([{ status: 'pending', attempts: 1 }])
})
