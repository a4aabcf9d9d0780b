import { beforeAll, expect, test } from 'vitest'
import { isFull } from '../../../../../tests/support/tier.ts'
import { few, fillLists } from '../../../test/support/database/fillLists.ts'
import { dbOfFile } from '../../../test/support/database/fixtures.ts'
import { insertMerchant } from '../merchants/merchants.ts'
import { backlogStatement, readBacklog } from './readBacklog.ts'

const count = isFull ? 200_000 : 6_000
/** The maximum of pages that a scrape reads, for any number of intents. */
const pagesAllowed = 100
const chainIds = [84532, 80002]

const db = dbOfFile()

beforeAll(async () => {
  await insertMerchant(db.pool, { id: 'mer_1', name: 'Shop', defaultChain: null })
  await fillLists(db, 'mer_1', count)
  await db.pool.query(`
    insert into webhook_endpoints (id, merchant_id, mode, url, description, created_at, secret_key)
    values ('we_1', 'mer_1', 'testnet', 'https://shop.example', '', now(), '');
    insert into webhook_endpoints (id, merchant_id, mode, url, description, created_at, secret_key, disabled_reason)
    values ('we_0', 'mer_1', 'testnet', 'https://gone.example', '', now(), '', 'gone');
    insert into webhook_deliveries (endpoint_id, event_id, due_at)
    select 'we_0', max(id), now() - interval '1 day' from events;
    insert into webhook_deliveries (endpoint_id, event_id, delivered_at, due_at)
    select 'we_1', id, now(), case when row_number() over (order by id) <= ${few}
      then now() - interval '1 minute' else now() + interval '1 hour' end
    from events
  `)
  await db.pool.query('vacuum analyze webhook_deliveries')
})

test('open intents are counted by their own indexes, not by reading all of them', async () => {
  const { rows } = await db.pool.query(
    `explain (analyze, buffers, format json) ${backlogStatement}`,
    [chainIds, 10_000],
  )
  const { Plan: plan } = rows[0]['QUERY PLAN'][0]
  const text = JSON.stringify(plan)
  expect(text).toContain('"Index Name":"payment_intents_open')
  expect(text).toContain('"Index Name":"payment_intents_pending"')
  expect(text).toContain('"Index Name":"webhook_deliveries_due"')
  // Compare a boolean: a failure would print the whole text.
  const isScanned = /"Seq Scan"[^{}]*"Relation Name":"(payment_intents|webhook_deliveries)"/
  expect(isScanned.test(text)).toBe(false)
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(pagesAllowed)

  const { open, ...rest } = await readBacklog(db.pool, chainIds)
  const nothing = {
    ...{ quarantined: 0, delayedTransfers: 0 },
    ...{ openRefunds: 0, oldestRefundSeconds: 0, uncoveredRefunds: 0 },
  }
  expect(rest).toEqual({
    ...{ oldestDueSeconds: expect.any(Number), disabledEndpoints: 1 },
    chains: chainIds.map((chainId) => ({ chainId, ...nothing })),
  })
  expect(rest.oldestDueSeconds).toBeGreaterThanOrEqual(60)
  // Due deliveries of a disabled endpoint do not count.
  expect(rest.oldestDueSeconds).toBeLessThan(86_400)
  expect(open).toEqual([
    { chainId: 84532, status: 'requires_payment', count: few },
    { chainId: 84532, status: 'pending_confirmations', count: 0 },
    { chainId: 80002, status: 'requires_payment', count: 0 },
    { chainId: 80002, status: 'pending_confirmations', count: 0 },
  ])
  const bounded = await db.pool.query(backlogStatement, [chainIds, few - 2])
  expect(bounded.rows[0].open[0]).toMatchObject({ count: few - 2 })
})
