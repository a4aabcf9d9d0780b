import type { RetrieveSummary, Summary } from '@payment-intents/contract'
import {
  addSums,
  handlers,
  type Intent,
  type Merchant,
  noSums,
  type Refund,
} from '@payment-intents/core'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSummary } from '../../../../../packages/testing/src/service/store/summary.ts'
import { isFull, runs } from '../../../../../tests/support/tier.ts'
import { until } from '../../../../../tests/support/until.ts'
import { explaining } from '../../../test/support/database/explaining.ts'
import { fillYear, hourMs } from '../../../test/support/database/fillYear.ts'
import { dbOfFile } from '../../../test/support/database/fixtures.ts'
import { countWaiting, lock } from '../../../test/support/database/locks.ts'
import { paymentHistory } from '../../../test/support/database/paymentHistory.ts'
import { createTestDb, testTimeouts } from '../../../test/support/database/testDb.ts'
import { createTestMerchant, randomWallet } from '../../../test/support/server/testServer.ts'
import { connect } from '../connection/connect.ts'
import { deleteUnpaid, findUnpaid } from '../payment-intents/deleteUnpaid.ts'
import { listIntents } from '../payment-intents/listPaymentIntents.ts'
import { listRefunds } from '../refunds/listRefunds.ts'
import { retrieveSummary } from './retrieveSummary.ts'

const db = dbOfFile()
const dayMs = 24 * hourMs
/** The maximum of PostgreSQL's pages that a summary of a year reads. */
const pagesAllowed = 5_000
/** The start of the current hour. */
const thisHour = Math.floor(Date.now() / hourMs) * hourMs

async function openShop() {
  const wallet = randomWallet()
  const { id } = await createTestMerchant(db, { wallet })
  const settings = { allowedWallets: [], confirmations: {}, defaultChain: null }
  const shop: Merchant = { id, mode: 'testnet', wallets: { base: wallet }, ...settings }
  const actor = { merchantId: id, mode: shop.mode }
  return { actor, history: paymentHistory(db, shop), deleted: [] as Intent[] }
}

type Shop = Awaited<ReturnType<typeof openShop>>
type SummaryStore = Parameters<typeof handlers.retrieveSummary>[0]['store']['summary']

async function respond(summary: SummaryStore, { actor }: Shop, query: RetrieveSummary) {
  const service = { store: { summary } } as Parameters<typeof handlers.retrieveSummary>[0]
  const request = { actor, query } as Parameters<typeof handlers.retrieveSummary>[1]
  return JSON.parse((await handlers.retrieveSummary(service, request)).body) as Summary
}

const summarize = (shop: Shop, query: RetrieveSummary) =>
  respond({ retrieve: (...args) => retrieveSummary(db, ...args) }, shop, query)

const everything = {
  ...{ limit: 100, startingAfter: null, txHash: null, reference: null, amount: null },
  ...{ createdAfter: null, createdBefore: null, status: null },
}

/** Adds up the same summary from the lists, and from the rows that retention has deleted. */
async function addUpLists(shop: Shop, query: RetrieveSummary): Promise<Summary> {
  const ofIntents = { payer: null, wallet: null, chain: null, paymentLink: null, metadata: [] }
  const ofRefunds = { intentId: null, transferId: null, destination: null, from: null }
  const listed = await listIntents(db.pool, shop.actor, { ...everything, ...ofIntents })
  const refunded = await listRefunds(db.pool, shop.actor, { ...everything, ...ofRefunds })
  const byId = <Item extends Intent | Refund>(items: readonly Item[]) =>
    new Map(items.map((entry) => [entry.id, entry]))
  const intents = byId([...shop.deleted, ...listed.items])
  const records = { intents, refunds: byId(refunded.items) }
  return respond(createSummary(records), shop, query)
}

/** Runs retention as if everything that has ended were old enough. */
async function deleteEnded(shop: Shop): Promise<void> {
  const { merchantId } = shop.actor
  await db.pool.query('delete from events where merchant_id = $1', [merchantId])
  await db.pool.query('delete from payable_reservations')
  const filter = { payer: null, wallet: null, chain: null, paymentLink: null, metadata: [] }
  const before = await listIntents(db.pool, shop.actor, { ...everything, ...filter })
  const step = { before: Date.now(), after: '', limit: 500 }
  await deleteUnpaid(db, Date.now(), await findUnpaid(db.pool, step))
  const after = await listIntents(db.pool, shop.actor, { ...everything, ...filter })
  const remaining = new Set(after.items.map(({ id }) => id))
  shop.deleted.push(...before.items.filter(({ id }) => !remaining.has(id)))
}

async function storedBuckets({ actor }: Shop): Promise<number> {
  const { rows } = await db.pool.query<{ count: bigint }>(
    'select count(*) from summary_buckets where merchant_id = $1',
    [actor.merchantId],
  )
  return Number(rows[0]?.count)
}

const iso = (time: number) => new Date(time).toISOString()
/** Five days, of which all but the last hours can be stored. */
const days = { from: iso(thisHour - 5 * dayMs), to: iso(thisHour + 2 * hourMs) }

describe('a summary agrees with the lists', () => {
  const minutes = 5 * 24 * 60
  const time = fc
    .integer({ min: 0, max: minutes })
    .map((minute) => Math.min(Date.now(), thisHour - 5 * dayMs + minute * 60_000 + 123))
  const zones = new Map([
    [0, 'Europe/Berlin'],
    [30, 'Asia/Kolkata'],
    [45, 'Asia/Kathmandu'],
  ])
  const which = fc.nat({ max: 6 })
  const period = fc
    .record({
      from: fc.integer({ min: 0, max: 5 * 24 }),
      hours: fc.integer({ min: 1, max: 5 * 24 }),
      minute: fc.constantFrom(0, 0, 0, 15, 30, 45),
      interval: fc.constantFrom(undefined, 'hour' as const, 'day' as const),
    })
    .map(({ from, hours, minute, interval }): RetrieveSummary => {
      const begin = thisHour - 5 * dayMs + from * hourMs - minute * 60_000
      const its = { from: iso(begin), to: iso(begin + hours * hourMs) }
      const timeZone = zones.get(minute)
      if (!interval) return its
      if (interval === 'hour' || !timeZone) return { ...its, interval: 'hour' }
      return { ...its, interval, time_zone: timeZone }
    })
  const step = fc.oneof(
    fc.record({ do: fc.constant('create' as const), time }),
    fc.record({
      do: fc.constantFrom('open' as const, 'accept' as const, 'cancel' as const),
      which,
      time,
    }),
    fc.record({
      ...{ do: fc.constant('pay' as const), which, time, part: fc.constantFrom(1, 1, 0.5, 0.005) },
      by: fc.constantFrom(
        'reference' as const,
        'authorization' as const,
        'payable_amount' as const,
      ),
    }),
    fc.record({ do: fc.constant('reverse' as const), which, time }),
    fc.record({
      do: fc.constantFrom('refund' as const, 'payRefund' as const, 'reverseRefund' as const),
      ...{ which, time },
    }),
    fc.record({ do: fc.constant('delete' as const) }),
    { weight: 3, arbitrary: fc.record({ do: fc.constant('look' as const), period }) },
  )
  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

  async function take(shop: Shop, step: Step, ids: { intents: string[]; refunds: string[] }) {
    const { history } = shop
    const pick = (from: string[], which: number) => from[which % from.length] ?? 'none'
    switch (step.do) {
      case 'create':
        return void ids.intents.push(await history.create(24_000_000, step.time))
      case 'pay':
        return history.pay(pick(ids.intents, step.which), step.time, step)
      case 'refund': {
        const intent = pick(ids.intents, step.which)
        if (intent === 'none' || shop.deleted.some(({ id }) => id === intent)) return
        return void ids.refunds.push(await history.refund(intent, 1_000_000n, step.time))
      }
      case 'payRefund':
      case 'reverseRefund':
        return history[step.do](pick(ids.refunds, step.which), step.time)
      case 'delete':
        return deleteEnded(shop)
      case 'look':
        return expectEqual(shop, step.period)
      default:
        return history[step.do](pick(ids.intents, step.which), step.time)
    }
  }

  async function expectEqual(shop: Shop, query: RetrieveSummary) {
    expect(await summarize(shop, query)).toEqual(await addUpLists(shop, query))
  }

  test('after any history, with any hours stored in between', async () => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 12, maxLength: 60 }),
      async (steps) => {
        const shop = await openShop()
        const ids = {
          intents: [await shop.history.create(24_000_000, thisHour - 4 * dayMs)],
          refunds: [],
        }
        for (const each of steps) await take(shop, each, ids)
        await expectEqual(shop, days)
        await expectEqual(shop, { ...days, interval: 'hour' })
      },
    )
    await fc.assert(property, { numRuns: runs(20) })
  })
})

describe('a change of a stored hour', () => {
  /** Opens a shop with a paid intent of three days ago, whose hours and days are stored. */
  async function openStored() {
    const shop = await openShop()
    const time = thisHour - 3 * dayMs + 60_000
    const id = await shop.history.create(24_000_000, time)
    const unpaid = await shop.history.create(5_000_000, time)
    await shop.history.pay(id, time + 60_000)
    const before = await summarize(shop, days)
    expect(before.totals).toMatchObject({ received_units: 24_000_000, created_count: 2 })
    expect(await storedBuckets(shop)).toBeGreaterThan(100)
    return { shop, id, unpaid, time, before }
  }

  test('that is not committed yet keeps its hours from being stored, and delays no summary', async () => {
    const { shop, id, before } = await openStored()
    const halfPast = {
      from: iso(thisHour - 4 * dayMs - hourMs / 2),
      to: iso(thisHour + hourMs / 2),
    }
    const change = lock(
      db,
      'update payment_intents set succeeded_at = null, bound_by = null where id = $1',
      [id],
    )
    const rollBack = await change
    const { rows } = await db.pool.query<{ count: bigint }>('select count(*) from summary_buckets')
    const whileLocked = await summarize(shop, halfPast)
    expect(whileLocked.totals).toEqual(before.totals)
    const after = await db.pool.query<{ count: bigint }>('select count(*) from summary_buckets')
    expect(after.rows).toEqual(rows)
    await rollBack()
    await summarize(shop, halfPast)
    const later = await db.pool.query<{ count: bigint }>('select count(*) from summary_buckets')
    expect(Number(later.rows[0]?.count)).toBeGreaterThan(Number(rows[0]?.count))
  })

  test('waits for hours that are being stored, and deletes them', async () => {
    const { shop, unpaid, time } = await openStored()
    const { merchantId, mode } = shop.actor
    const key = `hashtextextended('summary ' || $1 || $2, 0)`
    const release = await lock(db, `select pg_advisory_xact_lock(${key})`, [merchantId, mode])
    const opening = shop.history.open(unpaid, time + 2 * dayMs)
    await until(async () => (await countWaiting(db)) === 1)
    await release()
    await opening
    expect((await summarize(shop, days)).totals.opened_count).toBe(1)
  })

  test('two concurrent requests store each hour once', async () => {
    const shop = await openShop()
    const id = await shop.history.create(24_000_000, thisHour - 2 * dayMs)
    await shop.history.pay(id, thisHour - 2 * dayMs + 60_000)
    const summaries = await Promise.all(Array.from({ length: 6 }, () => summarize(shop, days)))
    for (const each of summaries) expect(each).toEqual(await addUpLists(shop, days))
  })

  test('nothing is written for payments of the last two hours', async () => {
    const { shop } = await openStored()
    const before = await storedBuckets(shop)
    const now = Date.now()
    const id = await shop.history.create(7_000_000, now)
    await shop.history.open(id, now)
    await shop.history.pay(id, now)
    await shop.history.refund(id, 1_000_000n, now)
    expect(await storedBuckets(shop)).toBe(before)
    const release = await lock(db, 'lock summary_buckets, summary_amounts in access exclusive mode')
    await shop.history.pay(await shop.history.create(8_000_000, now), now)
    await release()
    expect((await summarize(shop, days)).totals.payments_count).toBe(3)
  })

  test('intents that retention has deleted are counted as before', async () => {
    const { shop, unpaid, time, before } = await openStored()
    await shop.history.open(unpaid, time)
    await shop.history.cancel(unpaid, time)
    await deleteEnded(shop)
    expect(shop.deleted.map(({ id }) => id)).toEqual([unpaid])
    const { totals } = await summarize(shop, days)
    expect(totals).toEqual({ ...before.totals, opened_count: 1 })
    await db.pool.query('delete from summary_buckets')
    await db.pool.query('delete from summary_amounts')
    expect((await summarize(shop, days)).totals).toEqual(totals)
  })
})

test('nothing is stored for hours before the first payment intent', async () => {
  const shop = await openShop()
  const old = { from: '0000-01-01T00:00:00Z', to: '0001-01-01T00:00:00Z' }
  expect((await summarize(shop, old)).totals.created_count).toBe(0)
  await shop.history.create(24_000_000, thisHour - dayMs)
  await summarize(shop, old)
  expect(await storedBuckets(shop)).toBe(0)
  await summarize(shop, days)
  expect(await storedBuckets(shop)).toBeGreaterThan(0)
})

test('a summary works while the database accepts no writes', async () => {
  const shop = await openShop()
  await shop.history.pay(await shop.history.create(24_000_000, thisHour - dayMs), thisHour - dayMs)
  const expected = await addUpLists(shop, days)
  const url = new URL(db.url)
  url.searchParams.set('options', '-c default_transaction_read_only=on')
  const readOnly = connect({ url: url.href, poolSize: 2, timeouts: testTimeouts })
  onTestFinished(() => readOnly.pool.end())
  const retrieve: SummaryStore['retrieve'] = (...args) => retrieveSummary(readOnly, ...args)
  expect(await respond({ retrieve }, shop, days)).toEqual(expected)
  expect(await storedBuckets(shop)).toBe(0)
})

test('a summary of a year reads stored rows, and ranges of indexes', async () => {
  const large = await createTestDb()
  onTestFinished(() => large.close())
  const { id } = await createTestMerchant(large)
  const actor = { merchantId: id, mode: 'testnet' } as const
  const count = isFull ? 200_000 : 20_000
  const from = await fillYear(large, id, count)
  const to = from + 366 * dayMs
  const starts = Array.from({ length: 366 }, (_, day) => from + day * dayMs)
  const period = { from, to, starts }
  const firstSummary = await retrieveSummary(large, actor, period, 1_000)
  const sums = [...firstSummary.parts.values()].reduce(addSums, noSums)
  expect(sums).toMatchObject({ created: count, payments: count - Math.floor(count / 3) })
  const explained = explaining(large, /^(payment_intents|refunds)$/)
  const { query } = explained.db.pool
  const run = (text: string | object) =>
    typeof text === 'string' ? { rows: [] } : query(text as never)
  const connection = { query: run, release: () => undefined }
  const pool = { query, connect: async () => connection } as unknown as typeof large.pool
  expect(await retrieveSummary({ pool }, actor, period, 1_000)).toEqual(firstSummary)
  expect([...explained.scanned]).toEqual([])
  expect(explained.pages).toBeLessThan(pagesAllowed)
})
