import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { holdTimers } from '../../../../../tests/support/holdTimers.ts'
import { patience } from '../../../../../tests/support/patience.ts'
import { isFull } from '../../../../../tests/support/tier.ts'
import { until } from '../../../../../tests/support/until.ts'
import {
  type DatabaseProxy,
  startDatabaseProxy,
} from '../../../test/support/database/databaseProxy.ts'
import { lock } from '../../../test/support/database/locks.ts'
import { createTestDb, type TestDb } from '../../../test/support/database/testDb.ts'
import { merchantApi } from '../../../test/support/server/merchantApi.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  post,
  resolveIntent,
  startTestServer,
  type TestResponse,
  type TestServer,
} from '../../../test/support/server/testServer.ts'
import { connect, type Db, requestTimeouts } from '../../store/connection/connect.ts'

let database: TestDb
let proxy: DatabaseProxy
let db: Db
let server: TestServer
let apiKey: string

beforeEach(async () => {
  database = await createTestDb()
  proxy = await startDatabaseProxy(database.url)
  // Longer than a slow machine needs for a response, and shorter than a request waits for its merchant's share.
  const timeouts = requestTimeouts(Math.min(patience / 30, 4_000))
  db = connect({ url: proxy.url, poolSize: 10, timeouts })
  server = await startTestServer({
    db,
    resolveLimit: { max: 10 * pending, windowMs: 10_000 },
  })
  apiKey = (await createTestMerchant(database)).apiKey
  return async () => {
    await proxy.restore()
    await server.close()
    await db.pool.end()
    await database.close()
  }
})

const pending = import.meta.env.MODE === 'full' ? 2_000 : 100
const few = 5
const path = '/v1/payment_intents/resolve'
const outages = { away: 'the database does not respond', back: 'the database responds again' }
const logged = (message: string) => server.logs.filter((line) => line.includes(message))

/** Starts held resolves, a few at a time: on a busy machine, all at once would exceed their limits. */
async function hold(): Promise<{ intent: Json; responses: Promise<Json[]> }> {
  const seconds = 25
  // The resolves wait for as long as the test takes.
  holdTimers(seconds * 1_000)
  const intent = await createIntent(server, apiKey)
  const wait = { after_version: 1, wait_seconds: seconds }
  const holding: Promise<Json>[] = []
  for (let looked = 0; looked < pending; looked += few) {
    const more = Array.from({ length: few }, () =>
      resolveIntent(server, intent.client_secret, wait),
    )
    for (const response of more) response.catch(() => {})
    holding.push(...more)
    const before = looked / few
    await until(() => expect(logged(path).length).toBeGreaterThanOrEqual(holding.length + before))
    // Once another request has its response, all of these have read.
    await resolveIntent(server, intent.client_secret, { after_version: 0, wait_seconds: 1 })
  }
  const responses = Promise.all(holding)
  // An early failure must not be an unhandled rejection. The test awaits the responses later.
  responses.catch(() => {})
  return { intent, responses }
}

describe.each([
  ['silent', () => proxy.silence()],
  ['gone', () => proxy.cut()],
])('while the database is %s', (_, takeAway) => {
  test('every request gets a response soon with Retry-After, and the outage is logged once', async () => {
    const { intent, responses } = await hold()
    // No checkout has opened this intent before.
    const unread = await createIntent(server, apiKey)
    await takeAway()
    const api = merchantApi(server, apiKey)
    const request = () =>
      Promise.all([
        api.post('/v1/payment_intents', { amount_units: 1 }),
        api.post(`/v1/payment_intents/${intent.id}/cancel`),
        post(server, path, { client_secret: unread.client_secret }),
        api.get(`/v1/payment_intents/${intent.id}`),
        api.get('/v1/events'),
      ])
    const requested = async () => [
      await server.request('/readyz'),
      ...(await request()),
      ...(await request()),
    ]
    const tooLate = sleep(patience, null, { ref: false }).then(() =>
      expect.fail('the database was waited for'),
    )
    const outageResponses: TestResponse[] = await Promise.race([requested(), tooLate])
    expect(outageResponses.map(({ status }) => status)).toEqual([
      ...[503, 500, 503, 503, 503, 503],
      ...[500, 503, 503, 503, 503],
    ])
    const [ready, ...refused] = outageResponses
    expect(await ready?.json()).toMatchObject({ database: 'unreachable' })
    for (const response of refused) {
      expect(await response.json()).toMatchObject({ error: 'internal_error' })
      expect(response.headers.get('retry-after')).toBe('1')
    }
    await until(() => expect(logged(outages.away)).toHaveLength(1))
    const levels = server.logs.map((line) => JSON.parse(line).level)
    expect(levels.filter((level) => level !== 'debug' && level !== 'info')).toEqual(['error'])

    await proxy.restore()
    await until(async () => expect((await server.request('/readyz')).status).toBe(200))
    await until(() => expect(logged(outages.back)).toHaveLength(1))
    // The held requests still wait, and return when something changes.
    await api.post(`/v1/payment_intents/${intent.id}/cancel`)
    const statuses = (await responses).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set(['canceled']))
    expect(logged(outages.away)).toHaveLength(1)
  })
})

test('a request whose lock is not released in time gets Retry-After, and others continue', async () => {
  const { id, client_secret } = await createIntent(server, apiKey)
  const release = await lock(database, 'select from payment_intents where id = $1 for update', [id])
  const cancel = () => merchantApi(server, apiKey).post(`/v1/payment_intents/${id}/cancel`)
  const refused = await cancel()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect((await resolveIntent(server, client_secret)).status).toBe('requires_payment')
  expect(logged(outages.away)).toEqual([])
  await release()
  expect((await cancel()).status).toBe(200)
})

describe('a checkout continues', () => {
  /** Creates an intent that its checkout has just read. Time stands still until the test ends. */
  async function openCheckout(): Promise<Json> {
    const intent = await createIntent(server, apiKey)
    expect(await resolveIntent(server, intent.client_secret)).not.toHaveProperty('as_of')
    const now = performance.now()
    vi.spyOn(performance, 'now').mockReturnValue(now)
    return intent
  }

  function expectSince(as_of: string, server_time: string): void {
    const age = Date.parse(server_time) - Date.parse(as_of)
    expect(age).toBeGreaterThanOrEqual(0)
    expect(age).toBeLessThanOrEqual(10_000)
  }

  const openConnections = (count: number) =>
    Promise.all(Array.from({ length: count }, () => db.pool.query('select pg_sleep(0.2)')))

  test('on another connection if one hangs, as do later requests', async () => {
    const intents = await Promise.all([1, 2, 3].map(() => createIntent(server, apiKey)))
    await until(() => expect(db.pool.idleCount).toBe(db.pool.totalCount))
    // Close all connections but one, so that the next statement uses it.
    const clients = await Promise.all(
      Array.from({ length: db.pool.totalCount - 1 }, () => db.pool.connect()),
    )
    for (const client of clients) client.release(true)
    expect(db.pool.totalCount).toBe(1)
    proxy.stall()
    for (const { id, client_secret } of intents) {
      const wait = { after_version: 0, wait_seconds: 25 }
      const responses = await Promise.all([
        resolveIntent(server, client_secret),
        resolveIntent(server, client_secret, wait),
      ])
      for (const response of responses) {
        expect(response).toMatchObject({ id, version: 1 })
        expect(response).not.toHaveProperty('as_of')
      }
    }
    expect(logged(outages.away)).toEqual([])
  })

  test.each(isFull ? [3, 10] : [10])(
    'with the cached intent when %i connections hang',
    async (count) => {
      await openConnections(count)
      const { id, client_secret } = await openCheckout()
      proxy.stall()
      const requested = [{}, {}, { after_version: 1, wait_seconds: 1 }, { after_version: 0 }]
      const responses = requested.map((more) => resolveIntent(server, client_secret, more))
      for (const { as_of, ...response } of await Promise.all(responses)) {
        expect(response).toMatchObject({ id, version: 1, status: 'requires_payment' })
        if (as_of) expectSince(as_of, response.server_time)
      }
      await proxy.restore()
      expect(await resolveIntent(server, client_secret)).not.toHaveProperty('as_of')
    },
  )

  test('with the cached intent while the table is locked, and never with an older version than it has', async () => {
    const { id, client_secret } = await openCheckout()
    const unread = await createIntent(server, apiKey)
    const release = await lock(database, 'lock table payment_intents in access exclusive mode')
    try {
      const polls = [{}, { after_version: 1, wait_seconds: 25 }].map(async (more) => {
        const { as_of, ...response } = await resolveIntent(server, client_secret, more)
        expect(response).toMatchObject({ id, version: 1, status: 'requires_payment' })
        expectSince(as_of, response.server_time)
      })
      const refused = [
        { client_secret: unread.client_secret },
        { client_secret, after_version: 2 },
        { client_secret, after_version: 2, wait_seconds: 1 },
      ].map(async (body) => {
        const response = await post(server, path, body)
        expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
      })
      await Promise.all([...polls, ...refused])
    } finally {
      await release()
    }
    expect(await resolveIntent(server, client_secret)).not.toHaveProperty('as_of')
  })

  test('through an outage, for ten seconds', async () => {
    const { id, client_secret } = await openCheckout()
    await proxy.cut()
    expect(await resolveIntent(server, client_secret)).toMatchObject({
      id,
      as_of: expect.any(String),
    })
    const now = performance.now()
    vi.spyOn(performance, 'now').mockReturnValue(now + 10_001)
    expect((await post(server, path, { client_secret })).status).toBe(503)
  })
})
