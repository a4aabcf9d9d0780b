import { type AttentionType, attentionTypeSchema } from '@payment-intents/contract'
import type { AttentionItem, Page } from '@payment-intents/core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { explaining } from '../../test/support/database/explaining.ts'
import { few, fillLists, intentAt } from '../../test/support/database/fillLists.ts'
import { dbOfFile } from '../../test/support/database/fixtures.ts'
import { clearAttention, writeAttention } from './attention/attention.ts'
import { listAttention } from './listAttention.ts'
import { insertMerchant } from './merchants/merchants.ts'
import { insertEndpoint } from './webhook-endpoints/webhookEndpoints.ts'

const count = isFull ? 200_000 : 20_000
/** The number of items of each of two merchants. */
const most = 100_000
/** The maximum of PostgreSQL's pages that a page of the list reads, at any length of the list. */
const pagesAllowed = 200
const limit = 10
const who = { merchantId: 'mer_1', mode: 'testnet' } as const
const start = Date.UTC(2030, 0, 1)
const isLarge = /^(attention|payment_intents|transfers|transfer_suggestions|refunds)$/

const db = dbOfFile()

beforeAll(async () => {
  for (const id of ['mer_1', 'mer_2']) {
    await insertMerchant(db.pool, { id, name: 'Shop', defaultChain: null })
  }
  await fillLists(db, who.merchantId, count)
  await db.pool.query(
    `insert into refunds (id, merchant_id, mode, intent_id, chain, chain_id, token_address,
       amount_units, refund_reference, salt, confirmations_required, metadata, created_at, status,
       sequence, confirmations)
     select 're' || substr(id, 3), merchant_id, mode, id, chain, chain_id, token_address, 10000,
       payment_reference, salt, 5, '{}', created_at, 'requires_destination', 1, 0
     from payment_intents`,
  )
  await db.pool.query(
    `insert into transfer_suggestions (transfer_id, intent_id, match, rank)
     select 'tr' || substr(id, 3), id, 'price', 1 from payment_intents`,
  )
  await db.pool.query('vacuum analyze refunds, transfer_suggestions')
})

const nouns = ['tr', 'pi', 're'] as const
const types = ['transfer_unmatched', 'payment_intent_late', 'refund_waiting'] as const

/** The `n`th item, from 1, oldest first. One reason has few items, which are the oldest. */
function itemAt(n: number) {
  const at = n % nouns.length
  const intent = intentAt(1 + (n % count), count).id
  const isOld = n <= few
  return {
    id: isOld ? intent : intent.replace('pi', nouns[at] ?? ''),
    type: isOld ? ('payment_intent_reversed' as const) : types[at],
    since: start + n,
  }
}

/** Fills the lists of one or two merchants in the same way. The test reads the first list. */
async function fill(length: number, merchants: 1 | 2 = 2): Promise<void> {
  await db.pool.query('truncate attention')
  await db.pool.query(
    `insert into attention (object_id, merchant_id, mode, type, since)
     select case when mine then object_id else object_id || 'x' end,
       case when mine then 'mer_1' else 'mer_2' end, 'testnet', type,
       to_timestamp($2::float8 / 1000) + n * interval '1 millisecond'
     from (
       select n, case when n <= $3 then 'pi' else (array['tr', 'pi', 're'])[1 + n % 3] end
           || '_' || rpad(lpad((1 + n % $4)::text, 10, '0'), 30, '0')
           || case when n >= $4 then n::text else '' end as object_id,
         case when n <= $3 then 'payment_intent_reversed' else
           (array['transfer_unmatched', 'payment_intent_late', 'refund_waiting'])[1 + n % 3]
         end as type
       from generate_series(1, $1::int) n
     ) rows, (values (true), (false)) whose (mine)
     where mine or $5 = 2`,
    [length, start, few, count, merchants],
  )
  await db.pool.query('vacuum analyze attention')
}

const filters = [null, ...attentionTypeSchema.options]

test('an index reads a page, in a list of a thousand and of a hundred thousand items', async () => {
  for (const [length, merchants] of [
    [1_000, 2],
    [most, 2],
    [most, 1],
  ] as const) {
    await fill(length, merchants)
    // The ids of later items have no objects in this database, so their page would be empty.
    const last = Math.min(length, count - 1)
    for (const type of filters) {
      for (const from of [last, few + 3]) {
        const explained = explaining(db, isLarge)
        const startingAfter = { since: start + from, id: '~' }
        const filter = { limit, type, startingAfter }
        const page = await listAttention(explained.db.pool, who, filter)
        const expected = Array.from({ length: from }, (_, at) => itemAt(from - at))
          .filter((entry) => (type ?? entry.type) === entry.type)
          .slice(0, limit)
        const what = `${type}, ${from} of ${length}, ${merchants} merchants`
        expect(
          page.items.map(({ id, since, ...entry }) => ({ id, type: entry.type, since })),
          what,
        ).toEqual(expected)
        expect([...explained.scanned], what).toEqual([])
        expect(explained.pages, what).toBeLessThan(pagesAllowed)
      }
    }
  }
})

const ids = (page: Page<AttentionItem>) => page.items.map(({ id }) => id)

test('pages continue where they ended, while items of the same time come and go', async () => {
  await fill(0)
  const mode = 'testnet'
  const note = (n: number, since: number) =>
    writeAttention(db.pool, [
      { merchantId: 'mer_1', mode, id: intentAt(n, count).id, type: 'payment_intent_late', since },
    ])
  const id = (n: number) => intentAt(n, count).id
  for (const n of [1, 2, 3, 4]) await note(n, start)
  await note(5, start - 1)
  const list = (last?: AttentionItem) =>
    listAttention(db.pool, who, { limit: 2, type: null, startingAfter: last ?? null })
  const firstPage = await list()
  expect([ids(firstPage), firstPage.hasMore]).toEqual([[id(4), id(3)], true])
  // The cursor is a deleted item, and a new item comes before it.
  await clearAttention(db.pool, [id(3)])
  await note(6, start + 1)
  const secondPage = await list(firstPage.items.at(-1))
  expect([ids(secondPage), secondPage.hasMore]).toEqual([[id(2), id(1)], true])
  const third = await list(secondPage.items.at(-1))
  expect([ids(third), third.hasMore]).toEqual([[id(5)], false])
  expect(
    ids(
      await listAttention(
        db.pool,
        { ...who, merchantId: 'mer_2' },
        { limit, type: null, startingAfter: null },
      ),
    ),
  ).toEqual([])
  expect(
    ids(
      await listAttention(
        db.pool,
        { ...who, mode: 'mainnet' },
        { limit, type: null, startingAfter: null },
      ),
    ),
  ).toEqual([])
})

test('an endpoint is listed by time after an hour of failures, until it works or is disabled', async () => {
  await fill(0)
  const id = `we_${'1'.repeat(30)}`
  const terms = { url: 'https://shop.example', description: '', enabledEvents: null }
  await insertEndpoint(db, who, { ...terms, id, createdAt: new Date(), secretKey: '' }, 16)
  onTestFinished(async () => {
    await db.pool.query('delete from webhook_endpoints')
  })
  const set = (change: string) => db.pool.query(`update webhook_endpoints set ${change}`)
  const list = async (
    type: AttentionType | null = null,
    startingAfter: AttentionItem | null = null,
  ) => listAttention(db.pool, who, { limit: 1, type, startingAfter })
  expect(ids(await list())).toEqual([])
  await set(`failing_since = now() - interval '59 minutes'`)
  expect(ids(await list())).toEqual([])
  await set(`failing_since = now() - interval '61 minutes'`)
  const { items } = await list('webhook_endpoint_failing')
  expect(items).toMatchObject([{ id, object: { noun: 'webhook_endpoint', endpoint: { id } } }])
  expect(ids(await list('refund_waiting'))).toEqual([])

  const note = async (n: number, minutesAgo: number) => {
    const since = Date.now() - minutesAgo * 60_000
    const intent = { merchantId: 'mer_1', mode: 'testnet', id: intentAt(n, count).id } as const
    await writeAttention(db.pool, [{ ...intent, type: 'payment_intent_late', since }])
    return intent.id
  }
  const [newer, older] = [await note(2, 30), await note(1, 120)]
  const reportedIds: string[] = []
  let last: AttentionItem | null = null
  for (let pages = 0; pages < 5; pages += 1) {
    const page = await list(null, last)
    reportedIds.push(...ids(page))
    last = page.items.at(-1) ?? null
    if (!page.hasMore) break
  }
  expect(reportedIds).toEqual([newer, id, older])

  await set(`disabled_reason = 'merchant'`)
  expect(ids(await list('webhook_endpoint_failing'))).toEqual([])
  await set(`disabled_reason = null, failing_since = null`)
  expect(ids(await list('webhook_endpoint_failing'))).toEqual([])
})
