import { limits } from '@payment-intents/contract'
import { expect, test } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { explaining } from '../../test/support/database/explaining.ts'
import { anotherServer, ofTest } from '../../test/support/database/fixtures.ts'
import { countWaiting, lock } from '../../test/support/database/locks.ts'
import { type MerchantApi, merchantApi } from '../../test/support/server/merchantApi.ts'
import { serveNames } from '../../test/support/server/nameServer.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  type TestServer,
} from '../../test/support/server/testServer.ts'
import { startReceiver } from '../../test/support/server/webhookReceiver.ts'
import { createDnsResolver } from '../lib/dnsResolver.ts'
import { newId } from '../store/lists/ids.ts'
import { settleDeliveries } from '../store/webhook-endpoints/claims.ts'
import { listAttempts } from '../store/webhook-endpoints/listAttempts.ts'

const receiver = ofTest(startReceiver, (receiver) => receiver.close())
const endpoints = '/v1/webhook_endpoints'
/** Makes the wait so long that no second attempt comes. */
const later = { 'retry-after': '3600' }

async function openShop(server: TestServer): Promise<{ api: MerchantApi; apiKey: string }> {
  const { apiKey } = await createTestMerchant(server.db)
  return { api: merchantApi(server, apiKey), apiKey }
}

async function register({ api }: { api: MerchantApi }, more: object = {}): Promise<Json> {
  return (await api.post(endpoints, { url: `${receiver.url}/hooks`, ...more })).json()
}

function untilAttempts({ api }: { api: MerchantApi }, { id }: Json, expected: object[]) {
  return until(async () => {
    expect((await api.read(`${endpoints}/${id}/attempts`)).data).toMatchObject(expected)
  })
}

test('an attempt is stored with the receiver’s response, without control characters', async () => {
  const server = await anotherServer({ webhooks: 'delivering' })
  const shop = await openShop(server)
  const body = `<b>Bad\0</b>\u001b ${'é'.repeat(20_000)}`
  receiver.replyWith({ status: 500, headers: later, body })
  const endpoint = await register(shop)
  await createIntent(server, shop.apiKey)
  await untilAttempts(shop, endpoint, [
    {
      id: expect.stringMatching(/^att_\w{30}$/),
      event: expect.stringMatching(/^evt_/),
      event_type: 'payment_intent.created',
      duration_ms: expect.any(Number),
      response_status: 500,
      response_body: expect.stringMatching(/^<b>Bad<\/b> é{493}$/),
      error_code: null,
      error: null,
    },
  ])
})

test('a test event goes only to its endpoint, for any subscription, and is numbered', async () => {
  const server = await anotherServer({ webhooks: 'delivering' })
  const shop = await openShop(server)
  await register(shop)
  const endpoint = await register(shop, {
    url: `${receiver.url}/tested`,
    enabled_events: ['payment_intent.reversed'],
  })
  const send = async () => (await shop.api.post(`${endpoints}/${endpoint.id}/test`, {})).json()
  // Each waits for the events before it, since it is numbered after them.
  const row = 'select from webhook_endpoints where id = $1 for update'
  const release = await lock(server.db, row, [endpoint.id])
  const sending = [send(), send(), send()]
  await until(async () => expect(await countWaiting(server.db)).toBe(3))
  await release()
  const events: Json[] = await Promise.all(sending)
  expect(events.map(({ sequence }) => sequence).sort()).toEqual([1, 2, 3])
  await until(() => expect(receiver.received).toHaveLength(3))
  expect(new Set(receiver.received.map(({ path }) => path))).toEqual(new Set(['/tested']))
  const sent = receiver.received.map((received) => JSON.parse(received.body))
  expect(sent).toEqual(expect.arrayContaining(events))
  const { secret, ...object } = endpoint
  expect(events[0]).toMatchObject({ type: 'webhook_endpoint.test', data: { object } })
})

test('a test event is not sent to a name that now resolves to a private address', async () => {
  const dns = await serveNames(() => ['127.0.0.1'])
  const names = createDnsResolver({ servers: [dns.address] })
  const server = await anotherServer({ webhooks: 'public_only', names })
  const shop = await openShop(server)
  const { port } = new URL(receiver.url)
  const endpoint = await register(shop, { url: `http://hooks.test:${port}/` })
  const { id: event } = await (await shop.api.post(`${endpoints}/${endpoint.id}/test`, {})).json()
  await untilAttempts(shop, endpoint, [
    { event, response_status: null, response_body: null, error_code: 'address_refused' },
  ])
  expect(receiver.connections()).toBe(0)
})

test('the newest attempts of an event are kept until the event is deleted', async () => {
  const server = await anotherServer({ webhooks: 'kept' })
  const { pool } = server.db
  const shop = await openShop(server)
  const { id: endpointId } = await register(shop)
  await createIntent(server, shop.apiKey)
  const [{ event: eventId }] = (await shop.api.read(`${endpoints}/${endpointId}/deliveries`)).data
  const ids: string[] = []
  for (let attempt = 0; attempt < limits.webhookAttempts + 5; attempt += 1) {
    const id = newId('att', Date.now() + attempt)
    ids.unshift(id)
    const stored = { id, startedAt: new Date(), durationMs: 1, responseBody: '', errorCode: null }
    await settleDeliveries(pool, [
      {
        ...{ endpointId, eventId, url: receiver.url, attempts: 0, delivered: false, error: null },
        ...{ released: false, waitMs: 1, responseStatus: 500, attempt: stored },
      },
    ])
  }
  const page = { limit: 100, startingAfter: null, event: null }
  const listed = async () => (await listAttempts(pool, endpointId, page)).items.map(({ id }) => id)
  expect(await listed()).toEqual(ids.slice(0, limits.webhookAttempts))
  await pool.query('delete from webhook_deliveries where event_id = $1', [eventId])
  expect(await listed()).toEqual([])
})

test('attempts are listed only by indexes, however many exist', async () => {
  const server = await anotherServer({ webhooks: 'kept' })
  const shop = await openShop(server)
  const { id: endpointId } = await register(shop)
  await createIntent(server, shop.apiKey)
  const [{ event }] = (await shop.api.read(`${endpoints}/${endpointId}/deliveries`)).data
  await server.db.pool.query(
    `with event as (
       insert into events (id, merchant_id, mode, type, endpoint_id, sequence, object)
       select 'evt_' || lpad(n::text, 30, '0'), e.merchant_id, e.mode, e.type, $1, n, '{}'
       from events e, generate_series(1, 2000) n where e.id = $2 returning id
     ), delivery as (
       insert into webhook_deliveries (endpoint_id, event_id) select $1, id from event returning event_id
     ), all_deliveries as (select event_id from delivery union all select $2)
     insert into webhook_attempts (endpoint_id, event_id, slot, id, started_at, duration_ms)
     select $1, event_id, slot, 'att_' || event_id || slot, now(), 1
     from all_deliveries, generate_series(0, 19) slot`,
    [endpointId, event],
  )
  await server.db.pool.query('analyze')
  for (const filter of [{}, { event }, { startingAfter: 'att_evt_0001' }]) {
    const explained = explaining(server.db, /^(webhook_attempts|events)$/)
    const page = { limit: 10, startingAfter: null, event: null, ...filter }
    const { items } = await listAttempts(explained.db.pool, endpointId, page)
    expect(items.length).toBeGreaterThanOrEqual('startingAfter' in filter ? 0 : 10)
    expect([...explained.scanned]).toEqual([])
    expect(explained.pages).toBeLessThan(100)
  }
})
