import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { fillLists } from '../../test/support/database/fillLists.ts'
import { serverOfFile } from '../../test/support/database/fixtures.ts'
import { flushCounters } from '../../test/support/database/flushCounters.ts'
import { storeRefund } from '../../test/support/database/storeRefund.ts'
import { storeTransfer } from '../../test/support/database/storeTransfer.ts'
import { createTestDb } from '../../test/support/database/testDb.ts'
import { idsOf, openShop } from '../../test/support/server/merchantApi.ts'
import { createIntent, type Json, post } from '../../test/support/server/testServer.ts'
import { forget } from './chains/forget.ts'
import { connect, type Db } from './connection/connect.ts'
import { insertMerchant } from './merchants/merchants.ts'
import { deleteOld, type Retention, readEarlierClock } from './retention.ts'

const server = serverOfFile({ webhooks: 'kept' })
const standard = { eventDays: 30, unpaidDays: 90 }
const chainId = 84532
const inDays = (days: number) => Date.now() + days * 24 * 60 * 60 * 1_000

/** Deletes old data as if it were this many days later. */
function deleteIn(
  days: number,
  retention: Retention = standard,
  db: Db = server.db,
): Promise<void> {
  const { signal } = new AbortController()
  return deleteOld({ db, retention, signal, now: inDays(days) })
}

/** Opens a shop with a canceled intent, which has two events. */
async function openShopWithCanceled(metadata: Json = {}) {
  const shop = await openShop(server)
  const intent = await createIntent(server, shop.apiKey, { metadata })
  await shop.api.post(`/v1/payment_intents/${intent.id}/cancel`, {})
  return { ...shop, intent }
}

/** Stores an authorization for the intent that paid nothing, and the transaction that carried it. */
async function submitAndRelay({ id, payment_reference }: Json): Promise<void> {
  await server.db.pool.query(
    `with handed_in as (
       insert into authorizations (id, intent_id, chain_id, token_address, authorizer, recipient,
         amount_units, valid_after, valid_before, nonce, signature, source, status)
       values ('auth_' || $1, $1, $3, '0x', '0x', '0x', 1, 0, 1, $2, '0x', 'checkout', 'expired')
     )
     insert into relayer_transactions (chain_id, tx_hash, relayer, nonce, authorization_id, raw,
       gas_limit, max_fee_per_gas, max_priority_fee_per_gas)
     values ($3, $2, '0x', 0, 'auth_' || $1, '0x', 1, 1, 1)`,
    [id, payment_reference, chainId],
  )
}

type Shop = Awaited<ReturnType<typeof openShop>>

const eventsOf = async ({ merchantId }: Shop) => {
  const { rows } = await server.db.pool.query<{ id: string }>(
    'select id from events where merchant_id = $1 order by written',
    [merchantId],
  )
  return idsOf(rows)
}

/** Writes an event, so that the earlier events can be deleted: a merchant's newest event stays. */
async function letEventsGo({ apiKey }: Shop): Promise<void> {
  await createIntent(server, apiKey)
}

/** Moves the chain's clock by 60 days. */
async function endLateWindow(): Promise<void> {
  await forget(server.db.pool, { chainId, timestamp: Math.floor(inDays(60) / 1_000) })
}

describe('events', () => {
  test('are deleted after 30 days with their deliveries, not earlier, and a reader continues after the newest', async () => {
    const shop = await openShopWithCanceled()
    const url = 'https://shop.example/webhooks'
    const endpoint = await (await shop.api.post('/v1/webhook_endpoints', { url })).json()
    const next = await createIntent(server, shop.apiKey)
    await server.db.pool.query('update webhook_deliveries set due_at = null')
    const [created, canceled, newest] = idsOf((await shop.api.read('/v1/events')).data)
    await deleteIn(29)
    expect(await eventsOf(shop)).toEqual([created, canceled, newest])
    await deleteIn(31)
    expect(await eventsOf(shop)).toEqual([newest])
    const { rows } = await server.db.pool.query(
      'select event_id as id from webhook_deliveries where endpoint_id = $1',
      [endpoint.id],
    )
    expect(idsOf(rows)).toEqual([newest])

    await shop.api.post(`/v1/payment_intents/${next.id}/cancel`, {})
    const after = async (starting_after = '') => shop.api.get('/v1/events', { starting_after })
    const { data } = await (await after(newest)).json()
    expect(data).toMatchObject([{ type: 'payment_intent.canceled', sequence: 2 }])
    const refused = await after(created)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: 'invalid_body' })
  })

  test('are also deleted if the merchant never lists them', async () => {
    const shop = await openShopWithCanceled()
    const [, newest] = await eventsOf(shop)
    await deleteIn(31)
    expect(await eventsOf(shop)).toEqual([newest])
    expect(idsOf((await shop.api.read('/v1/events')).data)).toEqual([newest])
  })

  test('stay while they are being delivered', async () => {
    const shop = await openShop(server)
    await shop.api.post('/v1/webhook_endpoints', { url: 'https://shop.example/webhooks' })
    await createIntent(server, shop.apiKey)
    await letEventsGo(shop)
    const [waiting, newest] = await eventsOf(shop)
    await deleteIn(31)
    expect(await eventsOf(shop)).toEqual([waiting, newest])
    await server.db.pool.query('update webhook_deliveries set due_at = null where event_id = $1', [
      waiting,
    ])
    await deleteIn(31)
    expect(await eventsOf(shop)).toEqual([newest])
  })

  test('the newest about an endpoint stays as long as the endpoint, since it numbers the next', async () => {
    const shop = await openShop(server)
    const endpoints = '/v1/webhook_endpoints'
    const { id } = await (await shop.api.post(endpoints, { url: 'https://shop.example/' })).json()
    await server.db.pool.query(
      `insert into events (id, merchant_id, mode, type, endpoint_id, sequence, object)
       select 'evt_' || repeat('0', 29) || n, $1, 'testnet', 'webhook_endpoint.test', $2, n, '{}'
       from generate_series(1, 2) n`,
      [shop.merchantId, id],
    )
    await letEventsGo(shop)
    const [, about, newest] = await eventsOf(shop)
    await deleteIn(31)
    expect(await eventsOf(shop)).toEqual([about, newest])
    await shop.api.send('DELETE', `${endpoints}/${id}`)
    await server.db.pool.query('update webhook_deliveries set due_at = null')
    await deleteIn(31)
    expect(await eventsOf(shop)).toEqual([newest])
  })

  test('are all deleted, even if they exceed a step', async () => {
    const shop = await openShopWithCanceled()
    await server.db.pool.query(
      `insert into events (id, merchant_id, mode, type, intent_id, sequence, object)
       select 'evt_' || lpad(n::text, 30, '0'), $1, 'testnet', 'payment_intent.created', $2, 10 + n, '{}'
       from generate_series(1, 1200) n`,
      [shop.merchantId, shop.intent.id],
    )
    await deleteIn(31)
    expect(await eventsOf(shop)).toHaveLength(1)
  })
})

test('the visitor of a link’s intent is deleted a day after its deadline', async () => {
  const shop = await openShop(server)
  const terms = { amount_units: 1, description: 'A' }
  const { id } = await (await shop.api.post('/v1/payment_links', terms)).json()
  const body = { id, chain: 'base', visitor: 'visitor-000000000000000001' }
  await post(server, '/v1/payment_links/pay', body)
  const visits = async () =>
    (await server.db.pool.query('select from link_visits where link_id = $1', [id])).rowCount
  await deleteIn(1)
  expect(await visits()).toBe(1)
  await deleteIn(2)
  expect(await visits()).toBe(0)
})

describe('payment intents', () => {
  const isThere = async ({ api }: Shop, { id }: Json) =>
    (await api.get(`/v1/payment_intents/${id}`)).status === 200

  test('an unpaid intent is deleted after 90 days with its metadata, not earlier', async () => {
    const shop = await openShopWithCanceled({ order_id: '1042', note: 'by hand' })
    const { intent, merchantId } = shop
    await submitAndRelay(intent)
    await letEventsGo(shop)
    await endLateWindow()
    await deleteIn(89)
    expect(await isThere(shop, intent)).toBe(true)
    await deleteIn(91)
    expect(await isThere(shop, intent)).toBe(false)
    const { rows } = await server.db.pool.query(
      'select 1 from payment_intent_metadata where merchant_id = $1',
      [merchantId],
    )
    expect(rows).toEqual([])
    const submitted = await server.db.pool.query(
      'select authorization_id from relayer_transactions where tx_hash = $1',
      [intent.payment_reference],
    )
    expect(submitted.rows).toEqual([{ authorization_id: null }])
    const filter = { 'metadata[order_id]': '1042' }
    expect((await shop.api.read('/v1/payment_intents', filter)).data).toEqual([])
  })

  test.each<[string, (shop: Shop & { intent: Json }) => Promise<unknown>]>([
    [
      'a transfer was credited to it',
      ({ merchantId, intent }) => storeTransfer(server.db, { merchantId, intentId: intent.id }),
    ],
    [
      'a transfer was credited to it, and taken back by the chain',
      ({ merchantId, intent }) =>
        storeTransfer(server.db, { merchantId, intentId: intent.id, orphaned: true }),
    ],
    [
      'an unmatched transfer may be for it',
      async ({ merchantId, intent }) => {
        const transferId = await storeTransfer(server.db, { merchantId })
        await server.db.pool.query(
          "insert into transfer_suggestions (transfer_id, intent_id, match, rank) values ($1, $2, 'price', 1)",
          [transferId, intent.id],
        )
      },
    ],
    [
      'a refund of it is canceled, and its transfer assigned to another',
      ({ merchantId, intent }) => storeRefund(server.db, { merchantId, intentId: intent.id }),
    ],
    [
      'it is still open',
      ({ intent }) =>
        server.db.pool.query(
          "update payment_intents set status = 'requires_payment' where id = $1",
          [intent.id],
        ),
    ],
    [
      'it was paid',
      ({ intent }) =>
        server.db.pool.query(
          "update payment_intents set status = 'succeeded', amount_received_units = 1 where id = $1",
          [intent.id],
        ),
    ],
    [
      'its amount is still reserved',
      ({ intent }) =>
        server.db.pool.query(
          `insert into payable_reservations
           (chain_id, wallet, payable_amount_units, intent_id, since, until)
         select chain_id, expected_wallet, payable_amount_units, id, now(), now()
         from payment_intents where id = $1`,
          [intent.id],
        ),
    ],
  ])('an intent stays if %s', async (_, make) => {
    const shop = await openShopWithCanceled({ order_id: '1042' })
    await letEventsGo(shop)
    await endLateWindow()
    await make(shop)
    await deleteIn(400)
    expect(await isThere(shop, shop.intent)).toBe(true)
    const filter = { 'metadata[order_id]': '1042' }
    expect(idsOf((await shop.api.read('/v1/payment_intents', filter)).data)).toEqual([
      shop.intent.id,
    ])
  })

  test('everything stays if retention is set to 0 days', async () => {
    const shop = await openShopWithCanceled()
    await letEventsGo(shop)
    await endLateWindow()
    await deleteIn(400, { eventDays: null, unpaidDays: null })
    expect(await eventsOf(shop)).toHaveLength(3)
    expect(await isThere(shop, shop.intent)).toBe(true)
  })
})

test('idempotency keys are deleted after a day, not earlier', async () => {
  const { api } = await openShop(server)
  const create = (key: string) =>
    api.post('/v1/payment_intents', { amount_units: 5_000_000 }, { 'idempotency-key': key })
  const { id } = await (await create('order 1')).json()
  await deleteIn(0.9)
  expect((await (await create('order 1')).json()).id).toBe(id)
  await deleteIn(1.1)
  expect((await (await create('order 1')).json()).id).not.toBe(id)
})

test.each([
  ['ahead of', 200],
  ['behind', -200],
])('a clock that is %s the other does not delete early', async (_, days) => {
  const [today, offset] = [inDays(1), inDays(days)]
  vi.spyOn(Date, 'now').mockReturnValue(offset)
  expect(await readEarlierClock(server.db)).toBeLessThanOrEqual(Math.min(today, offset))
})

test('two servers delete at the same time', async () => {
  const shop = await openShopWithCanceled()
  await letEventsGo(shop)
  await endLateWindow()
  await Promise.all([deleteIn(91), deleteIn(91), deleteIn(91)])
  expect(await eventsOf(shop)).toHaveLength(1)
})

test('all statements of retention use indexes, even those that look for references to a row', async () => {
  // Use a database without a server, since the server's statements would also count.
  const db = await createTestDb()
  onTestFinished(() => db.close())
  await insertMerchant(db.pool, { id: 'mer_1', name: 'Shop', defaultChain: null })
  await fillLists(db, 'mer_1', isFull ? 5_000 : 1_500)
  await refundAllPaid(db, 'mer_1')
  await scannedTables(db)
  await db.pool.query('select pg_stat_reset()')
  await deleteIn(91, standard, db)
  expect(await scannedTables(db)).toEqual([])
  const { rows } = await db.pool.query('select count(*)::int as count from events')
  expect(rows[0].count).toBeLessThan(100)
})

/** Inserts a canceled refund of each intent of a merchant that succeeded. */
async function refundAllPaid({ pool }: Db, merchantId: string): Promise<void> {
  await pool.query(
    `insert into refunds (id, merchant_id, mode, intent_id, chain, chain_id, token_address,
       amount_units, refund_reference, salt, confirmations_required, metadata, created_at, status,
       sequence, confirmations)
     select 're_' || substr(id, 4), merchant_id, mode, id, chain, chain_id, token_address, 10000,
       payment_reference, salt, 5, '{}', now(), 'canceled', 2, 0
     from payment_intents where merchant_id = $1 and status = 'succeeded'`,
    [merchantId],
  )
  await pool.query('analyze refunds')
}

/** Finds the large tables that any connection has scanned since the counters were reset. */
async function scannedTables(db: Db): Promise<string[]> {
  await flushCounters(db)
  // A closed connection adds its counters as its process ends, so wait until only the pool's connections are left.
  const countConnections = async () =>
    (
      await db.pool.query(`select from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend'`)
    ).rowCount
  await expect.poll(countConnections).toBe(db.pool.totalCount)
  const { rows } = await db.pool.query<{ name: string }>(
    `select relname as name from pg_stat_user_tables where seq_tup_read > 0 and relname in
       ('events', 'payment_intents', 'payment_intent_metadata', 'refunds', 'transfers')`,
  )
  return rows.map(({ name }) => name)
}

test('undeletable rows of one kind do not keep other kinds from deletion', async () => {
  const { intent } = await openShopWithCanceled()
  await openShopWithCanceled()
  const { pool } = server.db
  await pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before delete on events for each statement execute function refuse()`)
  onTestFinished(async () => {
    await pool.query('drop trigger refuse on events; drop function refuse()')
  })
  await pool.query('delete from payable_reservations where intent_id = $1', [intent.id])
  // Delete the event, so that only unpaid intents are left.
  await pool.query('alter table events disable trigger refuse')
  await pool.query('delete from events where intent_id = $1', [intent.id])
  await pool.query('alter table events enable trigger refuse')
  await expect(deleteIn(1_000)).rejects.toThrow('could not be deleted')
  const { rows } = await pool.query('select id from payment_intents where id = $1', [intent.id])
  expect(rows).toEqual([])
})

test('a database that takes no writes ends the deletion at once, with its own error', async () => {
  const readOnly = new URL(server.db.pool.options.connectionString ?? '')
  readOnly.searchParams.set('options', '-c default_transaction_read_only=on')
  const db = connect({ url: readOnly.href, poolSize: 1 })
  onTestFinished(() => db.pool.end())
  await expect(deleteIn(1_000, standard, db)).rejects.toThrow('read-only transaction')
})

test.each([1, 3, 10])(
  '%i undeletable rows do not keep other rows of their kind from deletion',
  async (count) => {
    const shop = await openShop(server)
    const intents: Json[] = []
    for (let n = 0; n < 2 * count; n += 1) {
      const intent = await createIntent(server, shop.apiKey)
      await shop.api.post(`/v1/payment_intents/${intent.id}/cancel`, {})
      intents.push(intent)
    }
    const odd = intents.slice(0, count).map(({ id }) => id)
    await letEventsGo(shop)
    await endLateWindow()
    const raiseFor = async (table: string, column: string) => {
      const list = odd.map((id) => `'${id}'`).join(', ')
      await server.db.pool.query(`
      create trigger odd before delete on ${table} for each row when (old.${column} in (${list}))
        execute function refuse()`)
    }
    await server.db.pool.query(`
    create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'the row is odd'; end $$`)
    onTestFinished(async () => void (await server.db.pool.query('drop function refuse cascade')))
    const remaining = async (column: string, table: string) => {
      const { rows } = await server.db.pool.query(
        `select distinct ${column} as id from ${table} where ${column} = any($1) order by 1`,
        [intents.map(({ id }) => id)],
      )
      return idsOf(rows)
    }
    await raiseFor('events', 'intent_id')
    await expect(deleteIn(31)).rejects.toThrow('Some rows could not be deleted.')
    expect(await remaining('intent_id', 'events')).toEqual([...odd].sort())
    await server.db.pool.query('drop trigger odd on events')
    await raiseFor('payment_intents', 'id')
    await expect(deleteIn(100)).rejects.toThrow('Some rows could not be deleted.')
    expect(await remaining('id', 'payment_intents')).toEqual([...odd].sort())
  },
)
