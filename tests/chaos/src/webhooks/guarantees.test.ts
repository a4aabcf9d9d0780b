import { connect } from '@payment-intents/server/src/store/connection/connect.ts'
import { newId } from '@payment-intents/server/src/store/lists/ids.ts'
import {
  claimDeliveries,
  settleDeliveries,
} from '@payment-intents/server/src/store/webhook-endpoints/claims.ts'
import { sweepDeliveries } from '@payment-intents/server/src/store/webhook-endpoints/deliveries.ts'
import { ofTest, serverOfFile } from '@payment-intents/server/test/support/database/fixtures.ts'
import { testTimeouts } from '@payment-intents/server/test/support/database/testDb.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  serverKeys,
} from '@payment-intents/server/test/support/server/testServer.ts'
import { startReceiver } from '@payment-intents/server/test/support/server/webhookReceiver.ts'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { patience } from '../../../support/patience.ts'
import { until } from '../../../support/until.ts'
import { startDelivering } from './delivering.ts'

const server = serverOfFile()
const receiver = ofTest(startReceiver, (receiver) => receiver.close())
let merchant: { id: string; apiKey: string }

beforeEach(async () => {
  await server.clear()
  merchant = await createTestMerchant(server.db)
})

async function call(method: string, path: string, body?: object): Promise<Json> {
  const response = await server.request(path, {
    method,
    headers: { authorization: `Bearer ${merchant.apiKey}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return response.json()
}
const register = (url = receiver.url) => call('POST', '/v1/webhook_endpoints', { url })
const create = () => createIntent(server, merchant.apiKey)
/** So many events, made at once. */
const createAll = (count: number) => Promise.all(Array.from({ length: count }, create))
const deliver = async () => onTestFinished(await startDelivering(server.db))
const waiting = async () => {
  const { rows } = await server.db.pool.query<{ count: number }>(
    'select count(*)::int as count from webhook_deliveries where due_at is not null',
  )
  return rows[0]?.count
}

/** Events on their way to an endpoint, in the order of their ids. */
async function sentTo(endpointId: string): Promise<string[]> {
  const { rows } = await server.db.pool.query<{ id: string }>(
    'select event_id as id from webhook_deliveries where endpoint_id = $1 order by event_id',
    [endpointId],
  )
  return rows.map(({ id }) => id)
}

/** When an endpoint's deliveries are due, as SQL. */
async function setDue(endpointId: string, time: "'infinity'" | 'now()'): Promise<void> {
  await server.db.pool.query(
    `update webhook_deliveries set due_at = ${time} where endpoint_id = $1`,
    [endpointId],
  )
}

/** How a first try that got through is settled. */
function succeeded(endpointId: string, eventId: string) {
  return {
    ...{ endpointId, eventId, url: receiver.url, attempts: 1, delivered: true },
    ...{ released: false, waitMs: null, responseStatus: 200, error: null },
    attempt: {
      ...{ id: newId('att', Date.now()), startedAt: new Date(), durationMs: 1 },
      ...{ responseBody: '', errorCode: null },
    },
  }
}

/** Locks an event's deliveries. @returns a function that lets go */
async function holdDelivery(eventId: string): Promise<() => Promise<void>> {
  const client = await server.db.pool.connect()
  await client.query('begin')
  await client.query('select 1 from webhook_deliveries where event_id = $1 for update', [eventId])
  return async () => {
    await client.query('commit')
    client.release()
  }
}

/** Creates an event in the middle of the transaction that deletes an endpoint. */
async function createWhileDeleting(endpointId: string): Promise<void> {
  const deleting = await server.db.pool.connect()
  await deleting.query('begin')
  await deleting.query('delete from webhook_endpoints where id = $1', [endpointId])
  await create()
  await deleting.query('commit')
  deleting.release()
}

/** Until so many statements wait for a lock. */
function untilWaiting(count: number): Promise<void> {
  return until(async () => {
    const { rows } = await server.db.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    expect(rows).toHaveLength(count)
  })
}

test('two processes never make the same try twice', async () => {
  receiver.replyWith('hang')
  await register()
  await createAll(40)
  await deliver()
  await deliver()
  // Both have as many tries as one endpoint gets at once.
  await until(() => expect(receiver.received.length).toBeGreaterThanOrEqual(17))
  receiver.replyWith(200)
  receiver.release()
  await until(async () => expect(await waiting()).toBe(0))
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(40)
  expect(ids).toHaveLength(40)
})

test('a claim takes what another unfinished claim leaves', async () => {
  const { id } = await register()
  await create()
  await create()
  const capacity = { total: 1, failing: 1, perEndpoint: 1, perFailing: 1, claimMs: 20_000 }
  const first = await server.db.pool.connect()
  await first.query('begin')
  const claimed = await claimDeliveries(first, { ...capacity, busy: new Map() })
  const claiming = claimDeliveries(server.db.pool, { ...capacity, busy: new Map() })
  const others = await Promise.race([claiming, untilWaiting(1)])
  await first.query('commit')
  first.release()
  const both = [...claimed, ...(others ?? [])].map(({ eventId }) => eventId)
  expect(both.sort()).toEqual(await sentTo(id))
})

test('a hundred endpoints that hang do not delay an endpoint that responds', async () => {
  const silent = await startReceiver()
  onTestFinished(() => silent.close())
  silent.replyWith('hang')
  const otherMerchant = await createTestMerchant(server.db)
  await server.db.pool.query(
    `insert into webhook_endpoints (id, merchant_id, mode, url, description, created_at, secret_key)
     select id, $1, 'testnet', $2, '', now(), $4 from unnest($3::text[]) as id`,
    [
      otherMerchant.id,
      silent.url,
      Array.from({ length: 100 }, () => newId('we', Date.now())),
      serverKeys.current().fingerprint,
    ],
  )
  for (let event = 0; event < 10; event += 1) await createIntent(server, otherMerchant.apiKey)
  const { id } = await register()
  await createAll(20)
  // Made beforehand, so that only their delivery remains while the others hang.
  await setDue(id, "'infinity'")
  await deliver()
  await until(() => expect(silent.received.length).toBeGreaterThanOrEqual(100))
  await setDue(id, 'now()')
  await until(() => expect(receiver.received).toHaveLength(20))
  const { rows } = await server.db.pool.query(
    'select from webhook_deliveries where error is not null',
  )
  expect(rows).toEqual([])
})

test('an event neither fails nor waits while its endpoint is being deleted', async () => {
  const { id } = await register()
  await createWhileDeleting(id)
  await register()
  const { id: next } = await create()
  await deliver()
  await until(() => expect(receiver.received).toHaveLength(1))
  expect(receiver.received[0]?.body).toContain(next)
})

test('only deliveries written while their endpoint was being deleted are swept', async () => {
  const { id } = await register()
  await createWhileDeleting(id)
  const { id: next } = await register()
  await create()
  const [delivery] = await sentTo(next)
  expect(await sentTo(id)).toHaveLength(1)
  await sweepDeliveries(server.db.pool)
  expect(await sentTo(id)).toEqual([])
  expect(await sentTo(next)).toEqual([delivery])
})

test('an endpoint is not deleted between a claim and its try', async () => {
  const { id } = await register()
  await create()
  const claiming = await server.db.pool.connect()
  await claiming.query('begin')
  const [claim] = await claimDeliveries(claiming, {
    ...{ total: 1, failing: 1, perEndpoint: 1, perFailing: 1 },
    ...{ busy: new Map(), claimMs: 20_000 },
  })
  let deleted = false
  const deleting = call('DELETE', `/v1/webhook_endpoints/${id}`).then(() => {
    deleted = true
  })
  await untilWaiting(1)
  const { rows } = await server.db.pool.query('select disabled_reason from webhook_endpoints')
  expect(rows).toEqual([{ disabled_reason: null }])
  await claiming.query('commit')
  claiming.release()
  await until(async () => {
    const { rows } = await server.db.pool.query('select disabled_reason from webhook_endpoints')
    expect(rows).toEqual([{ disabled_reason: 'merchant' }])
  })
  expect(deleted).toBe(false)
  await settleDeliveries(server.db.pool, [succeeded(id, claim?.eventId ?? '')])
  await deleting
})

test('a try that was taken over counts for nothing, unless it got through', async () => {
  const { id } = await register()
  await create()
  const claim = async (claimMs: number) => {
    const [claimed = expect.fail('nothing is due')] = await claimDeliveries(server.db.pool, {
      ...{ total: 1, failing: 1, perEndpoint: 1, perFailing: 1, busy: new Map(), claimMs },
    })
    return { ...succeeded(id, claimed.eventId), attempts: claimed.attempts }
  }
  const row = async () => {
    const { rows } = await server.db.pool.query('select * from webhook_deliveries')
    return rows[0]
  }
  const over = await claim(-1)
  await claim(60_000)
  const before = await row()
  const failed = { ...over, delivered: false, responseStatus: 500, waitMs: 1 }
  await settleDeliveries(server.db.pool, [failed])
  expect(await row()).toEqual(before)
  await settleDeliveries(server.db.pool, [over])
  expect(await row()).toMatchObject({ due_at: null, delivered_at: expect.any(Date) })
})

test('two processes that settle the same tries wait for each other without a deadlock', async () => {
  const { id: endpointId } = await register()
  await create()
  await create()
  const events = await sentTo(endpointId)
  const [first = '', last = ''] = events
  const settle = (order: string[]) =>
    settleDeliveries(
      server.db.pool,
      // No process has claimed them.
      order.map((eventId) => ({ ...succeeded(endpointId, eventId), attempts: 0 })),
    )
  const release = await holdDelivery(first)
  const firstSettling = settle([first, last])
  await untilWaiting(1)
  const secondSettling = settle([last, first])
  await untilWaiting(2)
  await release()
  await Promise.all([firstSettling, secondSettling])
  expect(await waiting()).toBe(0)
})

test('an endpoint is deleted while a try there is settled late', async () => {
  const { id: endpointId } = await register()
  await create()
  await create()
  const [first = '', last = ''] = await sentTo(endpointId)
  const release = await holdDelivery(first)
  const deleting = call('DELETE', `/v1/webhook_endpoints/${endpointId}`)
  await untilWaiting(1)
  // Settling a failure also updates the endpoint.
  const late = { ...succeeded(endpointId, last), delivered: false, responseStatus: 500, waitMs: 1 }
  const settling = settleDeliveries(server.db.pool, [{ ...late, attempts: 0 }])
  await Promise.race([settling, untilWaiting(2)])
  await release()
  expect(await deleting).toEqual({ id: endpointId, deleted: true })
  await settling
  const { rows } = await server.db.pool.query('select from webhook_deliveries')
  expect(rows).toEqual([])
})

test('a response that drips its body counts as delivered, and holds no connection', async () => {
  receiver.replyWith('drip')
  await register()
  await createAll(40)
  await deliver()
  await until(async () => expect(await waiting()).toBe(0))
  expect(receiver.received).toHaveLength(40)
  // With 16 attempts at once, a connection may close a moment after the next has opened.
  expect(receiver.mostConnections()).toBeLessThanOrEqual(32)
  await until(() => expect(receiver.connections()).toBe(0))
})

test('Retry-After may be a date', async () => {
  const later = new Date(Date.now() + 7_200_000).toUTCString()
  receiver.replyWith({ status: 503, headers: { 'retry-after': later } })
  const endpoint = await register()
  await create()
  await deliver()
  await until(async () => {
    const { data } = await call('GET', `/v1/webhook_endpoints/${endpoint.id}/deliveries`)
    expect(data).toMatchObject([{ response_status: 503 }])
    expect(Date.parse(data[0].next_attempt_at)).toBeGreaterThanOrEqual(Date.parse(later) - 1_000)
  })
})

test('a delivery that is due while no database connection is free is sent once a connection is free', async () => {
  await register()
  await create()
  const url = server.db.pool.options.connectionString ?? ''
  const db = connect({ url, poolSize: 1, timeouts: { ...testTimeouts, connect: patience / 20 } })
  onTestFinished(() => db.pool.end())
  const held = await db.pool.connect()
  const errors: unknown[] = []
  onTestFinished(await startDelivering(db, (error) => errors.push(error)))
  await until(() => expect(errors).not.toEqual([]))
  expect(receiver.received).toEqual([])
  held.release()
  await until(() => expect(receiver.received).toHaveLength(1))
})
