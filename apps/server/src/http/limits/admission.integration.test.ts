import { beforeEach, expect, test, vi } from 'vitest'
import { patience } from '../../../../../tests/support/patience.ts'
import { isFull } from '../../../../../tests/support/tier.ts'
import { until } from '../../../../../tests/support/until.ts'
import { anotherServer } from '../../../test/support/database/fixtures.ts'
import { countWaiting, lock } from '../../../test/support/database/locks.ts'
import { storeTransfer } from '../../../test/support/database/storeTransfer.ts'
import { createTestDb, type TestDb, testTimeouts } from '../../../test/support/database/testDb.ts'
import { type MerchantApi, merchantApi } from '../../../test/support/server/merchantApi.ts'
import {
  createIntent,
  createTestMerchant,
  randomWallet,
  resolveIntent,
  startTestServer,
  type TestResponse,
  type TestServer,
} from '../../../test/support/server/testServer.ts'
import { pollLock } from '../../store/chains/cursors.ts'
import { connect } from '../../store/connection/connect.ts'

let database: TestDb
let server: TestServer
let greedy: string
let api: MerchantApi
let honest: string

beforeEach(async () => {
  database = await createTestDb()
  const timeouts = { ...testTimeouts, connect: patience / 4 }
  const db = connect({ url: database.url, poolSize: 10, timeouts })
  server = await startTestServer({ db })
  greedy = (await createTestMerchant(db)).apiKey
  api = merchantApi(server, greedy)
  honest = (await createTestMerchant(db, { wallet: randomWallet() })).apiKey
  return async () => {
    await server.close()
    await db.pool.end()
    await database.close()
  }
})

const statuses = async (responses: Promise<TestResponse[]>) =>
  (await responses).map(({ status }) => status)

test('slow requests of a merchant leave connections to others', async () => {
  const intent = await createIntent(server, honest)
  const transfer = await storeTransfer(database, { merchantId: null })
  // Holds the lock that a poll takes while it is recorded.
  const release = await lock(database, 'select pg_advisory_xact_lock($1, 84532)', [pollLock])
  const assign = () => api.post(`/v1/transfers/${transfer}/assign`, { payment_intent: intent.id })
  const slow = Promise.all(Array.from({ length: 14 }, assign))
  await until(async () => expect(await countWaiting(database)).toBeGreaterThanOrEqual(5))
  // Creations, and endpoints without a key, continue.
  expect(await createIntent(server, honest)).toMatchObject({ status: 'requires_payment' })
  expect(await resolveIntent(server, intent.client_secret)).toMatchObject({ id: intent.id })
  await until(async () => expect((await server.request('/readyz')).status).toBe(200))
  await release()
  expect(await statuses(slow)).toEqual(expect.not.arrayContaining([500]))
})

test('requests with the same idempotency key wait for the first without a connection', async () => {
  const { rows } = await database.pool.query('select id from merchants order by id limit 1')
  const release = await lock(
    database,
    `insert into idempotency_keys (merchant_id, mode, route, key, request_hash, response, secret_key)
     values ($1, 'testnet', 'POST /v1/payment_intents', 'order-1', '', '{}', '')`,
    [rows[0].id],
  )
  const headers = { 'idempotency-key': 'order-1' }
  const create = () => api.post('/v1/payment_intents', { amount_units: 9 }, headers)
  const first = create()
  await until(async () => expect(await countWaiting(database)).toBe(1))
  const responses = Promise.all(Array.from({ length: 30 }, create))
  expect(await createIntent(server, greedy)).toMatchObject({ status: 'requires_payment' })
  // Only the first uses the database. Meanwhile the others get 409.
  expect(await statuses(responses)).toEqual(Array(30).fill(409))
  expect(await countWaiting(database)).toBe(1)
  await release()
  expect((await first).status).toBe(200)
  const replayed = await Promise.all(Array.from({ length: 30 }, create))
  expect(new Set(replayed.map(({ status }) => status))).toEqual(new Set([200]))
  const texts = await Promise.all(replayed.map((response) => response.text()))
  expect(new Set([...texts, await (await first).text()]).size).toBe(1)
})

test('a resolve is recorded as activity of payers', async () => {
  const payerActivity = { record: vi.fn(), isRecent: () => false }
  const shared = await anotherServer({ db: server.db, payerActivity })
  const { client_secret } = await createIntent(shared, honest)
  expect(payerActivity.record).not.toHaveBeenCalled()
  await resolveIntent(shared, client_secret)
  expect(payerActivity.record).toHaveBeenCalledOnce()
})

const many = isFull ? 1_000 : 250

test(`${many} concurrent creations of one price all get a response, and none gets a 500`, async () => {
  const create = () => api.post('/v1/payment_intents', { amount_units: 1_000_000 })
  const responses = await Promise.all(Array.from({ length: many }, create))
  for (const { status, headers } of responses) {
    expect([200, 429]).toContain(status)
    if (status === 429) expect(headers.get('retry-after')).toBe('1')
  }
  const made = responses.filter(({ status }) => status === 200)
  expect(made.length).toBeGreaterThan(0)
  const requested = await Promise.all(
    made.map(async (response) => {
      const { lane, payable_amount_units, amount_units } = await response.json()
      return { lane, payable_amount_units, amount_units }
    }),
  )
  const tagged = requested.filter((intent) => intent.payable_amount_units !== intent.amount_units)
  expect(new Set(tagged.map((intent) => intent.payable_amount_units)).size).toBe(tagged.length)
})
