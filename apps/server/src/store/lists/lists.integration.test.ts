import { limits, statusSchema } from '@payment-intents/contract'
import type { IntentAndTransferFilter } from '@payment-intents/core'
import { beforeAll, expect, test } from 'vitest'
import { isFull } from '../../../../../tests/support/tier.ts'
import {
  type Explaining,
  explaining as explainingOf,
} from '../../../test/support/database/explaining.ts'
import {
  addresses,
  eventAt,
  few,
  fillLists,
  hashOf,
  intentAt,
  linkAt,
  paymentLinks,
  transferAt,
} from '../../../test/support/database/fillLists.ts'
import { dbOfFile } from '../../../test/support/database/fixtures.ts'
import type { Db } from '../connection/connect.ts'
import { listEvents } from '../events/listEvents.ts'
import { insertMerchant } from '../merchants/merchants.ts'
import { listIntents } from '../payment-intents/listPaymentIntents.ts'
import { listPaymentLinks } from '../payment-links/listPaymentLinks.ts'
import { countActiveLinks } from '../payment-links/paymentLinks.ts'
import { listTransfers } from '../transfers/listTransfers.ts'
import { timeOfId } from './ids.ts'

const count = isFull ? 200_000 : 4_000
/** The maximum of PostgreSQL's pages that each list reads, at any length. */
const pagesAllowed = 500
/** Covers the allowed steps of alternating lists, and a read of each of these lists. */
const pagesToJoin = 10_000 + count / 10
const limit = 10
const isLarge =
  /^(payment_intents|payment_links|payment_intent_metadata|payment_intent_payers|transfers|events)$/
/** Parameters of a list without filters. */
const everything = {
  ...{ limit, startingAfter: null, txHash: null, payer: null, wallet: null, reference: null },
  ...{ amount: null, createdAfter: null, createdBefore: null, paymentLink: null },
}
const actor = { merchantId: 'mer_1', mode: 'testnet' } as const
const numbers = Array.from({ length: count }, (_, index) => index + 1)
const chains = [null, 'base', 'polygon'] as const

const db = dbOfFile()
let explained: Explaining

beforeAll(async () => {
  await insertMerchant(db.pool, { id: actor.merchantId, name: 'Shop', defaultChain: null })
  await fillLists(db, actor.merchantId, count)
})

/** The database, which explains each statement before it executes it. */
function explaining(): Db {
  explained = explainingOf(db, isLarge)
  return explained.db
}

function expectIndexed(filter: object, allowed = pagesAllowed) {
  const label = JSON.stringify(filter)
  expect.soft([...explained.scanned], label).toEqual([])
  expect.soft(explained.pages, label).toBeLessThan(allowed)
}

/** The expected ids of a page, newest first, from all rows. */
function pageOf<Row extends { id: string }>(
  rows: readonly Row[],
  after: string | null,
  isListed: (row: Row) => boolean,
): string[] {
  const ids: string[] = []
  // Stop at a full page: there are hundreds of lists.
  for (let at = rows.length - 1; at >= 0 && ids.length < limit; at -= 1) {
    const row = rows[at] as Row
    if ((after === null || row.id < after) && isListed(row)) ids.push(row.id)
  }
  return ids
}

const intents = numbers.map((n) => intentAt(n, count))
const metadata = [
  {},
  { source: 'web' },
  { campaign: 'first' },
  { source: 'web', campaign: 'first' },
  { source: 'web', half: 'older' },
  { campaign: 'first', half: 'newer' },
  { source: 'none' },
]

test.each(metadata)('payment intents of %j are listed by an index', async (entries) => {
  for (const status of [null, ...statusSchema.options]) {
    for (const chain of chains) {
      for (const startingAfter of [null, intents[count / 2]?.id ?? null]) {
        const its = { startingAfter, status, chain, metadata: Object.entries(entries) }
        const filter = { ...everything, ...its }
        const page = await listIntents(explaining().pool, actor, filter)
        expectIndexed(filter)
        const expected = pageOf(intents, startingAfter, (intent) => {
          const hasEntry = (key: string, value: string) => intent.metadata[key] === value
          return (
            (status === null || intent.status === status) &&
            (chain === null || intent.chain === chain) &&
            filter.metadata.every(([key, value]) => hasEntry(key, value))
          )
        })
        expect(page.items.map(({ id }) => id)).toEqual(expected)
      }
    }
  }
})

test('alternating lists are joined after the allowed steps', async () => {
  const requested = { parity: 'even', side: 'left' }
  const filter = { ...everything, status: null, chain: null }
  const metadata = Object.entries(requested)
  const page = await listIntents(explaining().pool, actor, { ...filter, metadata })
  expect(page.items.map(({ id }) => id)).toEqual([intents[3]?.id, intents[1]?.id])
  expect([...explained.scanned]).toEqual([])
  expect(explained.pages).toBeLessThan(pagesToJoin)
})

const transfers = numbers.map((n) => transferAt(n, count))
const current = new Map(intents.map((intent) => [intent.id, intent]))

test.each(['all', 'of one intent', 'of an intent with many'])(
  'transfers, %s, are listed by an index',
  async (which) => {
    const newest = intents.at(-1)?.id ?? null
    const intentId =
      which === 'all' ? null : which === 'of one intent' ? transfers[few]?.intentId : newest
    for (const matched of [null, true, false]) {
      for (const chain of chains) {
        for (const startingAfter of [null, transfers[count / 2]?.id ?? null]) {
          const its = { startingAfter, matched, chain, intentId: intentId ?? null }
          const filter = { ...everything, ...its }
          const page = await listTransfers(explaining().pool, actor, filter)
          expectIndexed(filter)
          const expected = pageOf(
            transfers,
            startingAfter,
            (transfer) =>
              (matched === null || (transfer.intentId !== null) === matched) &&
              (chain === null || transfer.chainId === (chain === 'base' ? 84532 : 80002)) &&
              (intentId === null || transfer.intentId === intentId),
          )
          expect(page.items.map(({ id }) => id)).toEqual(expected)
        }
      }
    }
  },
)

function timeAt(n: number): number {
  return timeOfId(intentAt(n, count).id)
}

/** The second half of the list has some rows of each kind, but no rare rows. */
const middle = count / 2
const periods = [
  { createdAfter: null, createdBefore: null },
  { createdAfter: timeAt(middle - 3), createdBefore: timeAt(middle) },
  { createdAfter: timeAt(middle), createdBefore: null },
  { createdAfter: null, createdBefore: timeAt(3) },
]
const { rare, even, odd } = addresses
const idOfNothing = `plink_${'9'.repeat(30)}`
const nobody = `0x${'99'.repeat(20)}` as const
const searches = [
  {},
  ...[rare, even, odd, nobody].flatMap((address) => [{ payer: address }, { wallet: address }]),
  ...[5_000_000, 24_000_000, 24_000_000 + middle, 1].map((amount) => ({ amount })),
  ...[few, middle, count, count + 1].flatMap((n) => [
    { txHash: hashOf(n) },
    { reference: hashOf(n) },
  ]),
  { payer: even, wallet: even },
  { payer: rare, amount: 24_000_000 },
  { wallet: odd, amount: 24_000_000 },
  { txHash: hashOf(middle), payer: rare },
]

test.each(searches)(
  'payment intents and transfers of %j are listed by an index',
  async (requested) => {
    const search: IntentAndTransferFilter & { paymentLink: string | null } = {
      ...everything,
      ...requested,
    }
    const lists = Math.max(1, Object.keys(requested).length) + ('amount' in requested ? 1 : 0)
    const { txHash, payer, wallet, reference, amount } = search
    const isPart = (transfer: (typeof transfers)[number]) =>
      (txHash ?? transfer.txHash) === transfer.txHash && (payer ?? transfer.from) === transfer.from
    const paid = new Set(transfers.filter(isPart).map(({ intentId }) => intentId))
    for (const period of periods) {
      const isIn = ({ n }: { n: number }) => {
        const created = timeAt(n)
        return created >= (period.createdAfter ?? 0) && created < (period.createdBefore ?? Infinity)
      }
      // The full tier combines all filters and periods. Otherwise each period has no other filter, and each filter no
      // period.
      const isCombined = isFull || period === periods[0]
      for (const status of isCombined
        ? ([null, 'succeeded', 'expired', 'canceled'] as const)
        : [null]) {
        const filter = { ...search, ...period, status, chain: null, metadata: [] }
        const page = await listIntents(explaining().pool, actor, filter)
        expectIndexed(filter, lists * pagesAllowed)
        const expected = pageOf(intents, null, (intent) => {
          return (
            isIn(intent) &&
            (status ?? intent.status) === intent.status &&
            (wallet ?? intent.wallet) === intent.wallet &&
            (reference ?? intent.reference) === intent.reference &&
            [null, intent.amount, intent.payable].includes(amount) &&
            ((txHash ?? payer) === null || paid.has(intent.id))
          )
        })
        expect(page.items.map(({ id }) => id)).toEqual(expected)
      }
      for (const matched of isCombined ? [null, true, false] : [null]) {
        const filter = { ...search, ...period, matched, chain: null, intentId: null }
        const page = await listTransfers(explaining().pool, actor, filter)
        expectIndexed(filter, lists * pagesAllowed)
        const expected = pageOf(transfers, null, (transfer) => {
          const { intentId } = transfer
          return (
            isIn(transfer) &&
            isPart(transfer) &&
            (matched ?? intentId !== null) === (intentId !== null) &&
            (wallet ?? transfer.to) === transfer.to &&
            (amount ?? transfer.amount) === transfer.amount &&
            (reference === null || current.get(intentId ?? '')?.reference === reference)
          )
        })
        expect(page.items.map(({ id }) => id)).toEqual(expected)
      }
    }
  },
)

test.each([rare, even, nobody])(
  'payment intents of the payer %s, of a chain and a status, are listed by an index',
  async (payer) => {
    const paid = new Set(
      transfers.filter(({ from }) => from === payer).map(({ intentId }) => intentId),
    )
    // No intent of the payer who paid half of the intents is expired.
    for (const status of [null, ...statusSchema.options]) {
      for (const chain of chains) {
        for (const startingAfter of [null, intents[count / 2]?.id ?? null]) {
          const filter = { ...everything, payer, status, chain, startingAfter, metadata: [] }
          const page = await listIntents(explaining().pool, actor, filter)
          expectIndexed(filter)
          const expected = pageOf(
            intents,
            startingAfter,
            (intent) =>
              (status ?? intent.status) === intent.status &&
              (chain ?? intent.chain) === intent.chain &&
              paid.has(intent.id),
          )
          expect(page.items.map(({ id }) => id)).toEqual(expected)
        }
      }
    }
  },
)

test.each([...Object.values(paymentLinks), idOfNothing])(
  'payment intents of the payment link %s are listed by an index',
  async (paymentLink) => {
    const wallets = [null, even, rare]
    for (const status of [null, ...statusSchema.options]) {
      for (const chain of chains) {
        for (const wallet of wallets) {
          const its = { paymentLink, status, chain, wallet, metadata: [] }
          const filter = { ...everything, ...its }
          const page = await listIntents(explaining().pool, actor, filter)
          expectIndexed(filter, 3 * pagesAllowed)
          const expected = pageOf(
            intents,
            null,
            (intent) =>
              intent.paymentLink === paymentLink &&
              (status ?? intent.status) === intent.status &&
              (chain ?? intent.chain) === intent.chain &&
              (wallet ?? intent.wallet) === intent.wallet,
          )
          expect(page.items.map(({ id }) => id)).toEqual(expected)
        }
      }
    }
  },
)

test('active payment links are counted by an index, up to the limit', async () => {
  const limit = Math.min(count - few, limits.activeLinks)
  expect(await countActiveLinks(explaining().pool, actor)).toBe(limit)
  expectIndexed({ active: true })
})

test.each(periods)('payment links of %j are listed by an index', async (period) => {
  const links = numbers.map(linkAt)
  for (const active of [null, true, false]) {
    for (const startingAfter of [null, links[middle]?.id ?? null]) {
      const filter = { limit, startingAfter, active, ...period }
      const page = await listPaymentLinks(explaining().pool, actor, filter)
      expectIndexed(filter)
      const expected = pageOf(links, startingAfter, (link) => {
        const created = timeOfId(link.id)
        return (
          (active ?? link.active) === link.active &&
          created >= (period.createdAfter ?? 0) &&
          created < (period.createdBefore ?? Infinity)
        )
      })
      expect(page.items.map(({ id }) => id)).toEqual(expected)
    }
  }
})

test('a page of an export costs as much at its end as at its beginning', async () => {
  const period = { createdAfter: timeAt(1), createdBefore: timeAt(count) }
  const filter = { ...everything, ...period, limit: limits.pageSize.max, chain: null }
  const read = {
    pi: (startingAfter: string | null) =>
      listIntents(explaining().pool, actor, {
        ...filter,
        startingAfter,
        status: null,
        metadata: [],
      }),
    tr: (startingAfter: string | null) =>
      listTransfers(explaining().pool, actor, {
        ...{ ...filter, startingAfter, matched: null, intentId: null },
      }),
  }
  for (const [prefix, rows] of [
    ['pi', intents],
    ['tr', transfers],
  ] as const) {
    const page = await read[prefix](null)
    expectIndexed({ prefix, page: 'first' }, 10 * pagesAllowed)
    const atBeginning = explained.pages
    const before = rows[limits.pageSize.max + 10]?.id ?? null
    const last = await read[prefix](before)
    expectIndexed({ prefix, page: 'last' }, 10 * pagesAllowed)
    expect(explained.pages).toBeLessThan(1.5 * atBeginning)
    expect([page.items.length, last.items.length]).toEqual([filter.limit, filter.limit])
  }
})

const events = numbers.map((n) => eventAt(n, count))

test('events are listed by an index, and without a cursor from 30 days back', async () => {
  const types = [
    null,
    'payment_intent.created',
    'payment_intent.canceled',
    'payment_intent.expired',
  ] as const
  for (const type of types) {
    for (const intentId of [null, intents[0]?.id ?? null, intents.at(-1)?.id ?? null]) {
      for (const startingAfter of [null, events[0]?.id ?? null, events[count / 2]?.id ?? null]) {
        const since = Date.now() - 30 * 24 * 60 * 60 * 1000
        for (const paymentLink of [null, ...Object.values(paymentLinks)])
          for (const order of ['asc', 'desc'] as const) {
            const filter = { limit, startingAfter, since, order, type, intentId, paymentLink }
            const page = await listEvents(explaining(), actor, filter)
            expectIndexed(filter)
            const ordered = order === 'asc' ? events : events.toReversed()
            const cursor = startingAfter ?? (order === 'asc' ? '' : 'f')
            const expected = ordered
              .filter(
                (event) =>
                  (order === 'asc' ? event.id > cursor : event.id < cursor) &&
                  ((order === 'asc' && startingAfter !== null) || event.isRecent) &&
                  (type === null || event.type === type) &&
                  (intentId === null || event.intentId === intentId) &&
                  (paymentLink === null || event.paymentLink === paymentLink),
              )
              .slice(0, limit)
            if (page === 'unknown_cursor') throw new Error(page)
            expect(page.items.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
          }
      }
    }
  }
})
