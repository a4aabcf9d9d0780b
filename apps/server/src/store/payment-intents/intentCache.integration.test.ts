import { randomBytes } from 'node:crypto'
import type { CheckoutIntent } from '@payment-intents/core'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { serverOfFile } from '../../../test/support/database/fixtures.ts'
import { storeTransfer } from '../../../test/support/database/storeTransfer.ts'
import { createIntent, createTestMerchant } from '../../../test/support/server/testServer.ts'
import { type Queryable, transaction } from '../connection/connect.ts'
import { updateSettings } from '../merchants/settings.ts'
import { insertSuggestions } from '../transfers/suggestions.ts'
import { createIntentCache } from './intentCache.ts'
import { findForCheckouts, lockIntents } from './paymentIntents.ts'

const server = serverOfFile()
let merchant: { id: string; apiKey: string }

beforeAll(async () => {
  merchant = await createTestMerchant(server.db)
})

/** A cache of what checkouts show, with the names of the statements that it sends. */
function setUp() {
  const { pool } = server.db
  const statements: string[] = []
  const db = {
    query(query: { name: string }) {
      statements.push(query.name)
      return pool.query(query as never)
    },
  } as unknown as Queryable
  const cache = createIntentCache<CheckoutIntent>(db, (ids) => findForCheckouts(db, ids))
  return { cache, sent: () => statements.splice(0) }
}

async function readUncached(id: string): Promise<CheckoutIntent | undefined> {
  return (await findForCheckouts(server.db.pool, [id])).get(id)?.value
}

const create = () => createIntent(server, merchant.apiKey)
const execute = (text: string, ...values: unknown[]) => server.db.pool.query(text, values)

describe('statements', () => {
  test('an unchanged intent that nobody has paid is read whole once', async () => {
    const { cache, sent } = setUp()
    const { id } = await create()
    const first = await cache.read([id])
    expect(sent()).toEqual(['find-for-checkouts'])
    const second = await cache.read([id])
    expect(sent()).toEqual(['read-row-versions'])
    expect(second.get(id)).toBe(first.get(id))
  })

  test('intents that were read before and new ones are read at the same time', async () => {
    const { cache, sent } = setUp()
    const [first, second] = [await create(), await create()]
    await cache.read([first.id])
    sent()
    const ids = [second.id, first.id, 'pi_nothing']
    expect([...(await cache.read(ids)).keys()].sort()).toEqual([first.id, second.id].sort())
    expect(sent()).toEqual(['read-row-versions', 'find-for-checkouts'])
  })

  test('a locked intent has not changed', async () => {
    const { cache, sent } = setUp()
    const { id } = await create()
    await cache.read([id])
    await transaction(server.db, (client) => lockIntents(client, [id]))
    await cache.read([id])
    expect(sent()).toEqual(['find-for-checkouts', 'read-row-versions'])
  })

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['a transfer', (id) => storeTransfer(server.db, { merchantId: merchant.id, intentId: id })],
    [
      'a transfer that the chain took back',
      (id) => storeTransfer(server.db, { merchantId: merchant.id, intentId: id, orphaned: true }),
    ],
    ['a near miss', nearlyPay],
    ['an end', (id) => execute(`update payment_intents set status = 'expired' where id = $1`, id)],
  ])(
    'an intent with %s is read whole each time, since other rows may change',
    async (_, change) => {
      const { cache, sent } = setUp()
      const { id } = await create()
      await change(id)
      await cache.read([id])
      await cache.read([id])
      expect(sent()).toEqual(['find-for-checkouts', 'find-for-checkouts'])
    },
  )
})

async function nearlyPay(id: string): Promise<string> {
  const transferId = await storeTransfer(server.db, { merchantId: merchant.id })
  const suggestions = [{ intentId: id, match: 'amount' as const }]
  await insertSuggestions(server.db.pool, [{ transferId, reason: 'amount_mismatch', suggestions }])
  return transferId
}

describe('the next read sees', () => {
  test.each<[string, (id: string) => Promise<unknown>]>([
    [
      'the merchant’s contact',
      () => updateSettings(server.db, merchant.id, { support: `${Date.now()}@shop.example` }),
    ],
    [
      'the time of the first opening',
      (id) => execute('update payment_intents set opened_at = now() where id = $1', id),
    ],
    ['a near miss', nearlyPay],
    ['an end', (id) => execute(`update payment_intents set status = 'canceled' where id = $1`, id)],
  ])('%s', async (_, change) => {
    const { cache } = setUp()
    const { id } = await create()
    const before = (await cache.read([id])).get(id)
    await change(id)
    const after = (await cache.read([id])).get(id)
    expect(after).toEqual(await readUncached(id))
    expect(after).not.toEqual(before)
  })

  test('the description of its payment link', async () => {
    const { cache } = setUp()
    const { id } = await create()
    const link = `plink_${randomBytes(15).toString('hex')}`
    await execute(
      `insert into payment_links (id, merchant_id, mode, chains, active, description, metadata,
         payments_count, created_at)
       values ($1, $2, 'testnet', '{base}', true, 'Term 1', '{}', 0, now())`,
      ...[link, merchant.id],
    )
    await execute('update payment_intents set payment_link = $2 where id = $1', id, link)
    expect((await cache.read([id])).get(id)?.linkDescription).toBe('Term 1')
    await execute(`update payment_links set description = 'Term 2' where id = $1`, link)
    expect((await cache.read([id])).get(id)?.linkDescription).toBe('Term 2')
  })

  test('that it is deleted', async () => {
    const { cache } = setUp()
    const { id } = await create()
    await cache.read([id])
    expect(cache.last(id)).not.toBeNull()
    await execute('delete from payment_intents where id = $1', id)
    expect((await cache.read([id])).size).toBe(0)
    expect(cache.last(id)).toBeNull()
  })
})

test('the last value is available with its age for ten seconds after it was read or compared', async () => {
  const { cache } = setUp()
  const { id } = await create()
  let now = 5_000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => void vi.restoreAllMocks())
  await cache.read([id])
  now += 9_000
  expect(cache.last(id)).toMatchObject({ value: { intent: { id } }, ageMs: 9_000 })
  await cache.read([id])
  now += 10_000
  expect(cache.last(id)?.ageMs).toBe(10_000)
  now += 1
  expect(cache.last(id)).toBeNull()
})
