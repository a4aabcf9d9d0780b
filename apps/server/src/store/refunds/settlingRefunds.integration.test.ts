import type { Hex } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { isFull } from '../../../../../tests/support/tier.ts'
import { type Explaining, explaining } from '../../../test/support/database/explaining.ts'
import { fillLists, hashOf } from '../../../test/support/database/fillLists.ts'
import { dbOfFile } from '../../../test/support/database/fixtures.ts'
import { insertMerchant } from '../merchants/merchants.ts'
import { findSource, lockRefunds } from './refunds.ts'
import {
  bindToRefunds,
  findByNonces,
  findDueRefunds,
  findSettlingRefunds,
} from './settlingRefunds.ts'

const count = isFull ? 40_000 : 4_000
/** Refunds that were signed and wait, of all that there are. */
const open = 100
const chainId = 84532
const isLarge = /^(payment_intents|transfers|refunds|authorizations)$/
/** Pages of PostgreSQL that a statement may look at: some for each refund that is open, and none for what is over. */
const pagesAllowed = 15 * open
const db = dbOfFile()

beforeAll(async () => {
  await insertMerchant(db.pool, { id: 'mer_1', name: 'Shop', defaultChain: null })
  await fillLists(db, 'mer_1', count)
  // The oldest are paid long ago, the newest wait for their signature to be used. Half have ended otherwise.
  await db.pool.query(
    `insert into refunds (id, merchant_id, mode, intent_id, chain, chain_id, token_address, amount_units,
       refund_reference, salt, confirmations_required, metadata, created_at, status, sequence,
       destination, destination_proof, confirmations)
     select 're_' || substr(id, 4), merchant_id, mode, id, chain, ${chainId}, token_address, 10000,
       '0x' || md5(id) || md5(id), salt, 5, '{}', now(),
       case when row_number() over (order by id desc) <= ${open} then 'pending'
         when row_number() over (order by id desc) % 2 = 0 then 'canceled' else 'succeeded' end,
       2, '0x' || lpad('', 40, '7'), 'merchant', 0
     from payment_intents`,
  )
  await db.pool.query(
    `insert into authorizations (id, refund_id, chain_id, token_address, authorizer, recipient, amount_units,
       valid_after, valid_before, nonce, signature, source, status)
     select 'auth_' || substr(id, 4), id, chain_id, token_address, '0x5', destination, amount_units, 0,
       2000000000, refund_reference, '0x', 'refund',
       case when status = 'pending' then 'in_flight' else 'used' end
     from refunds where status <> 'canceled'`,
  )
  await db.pool.query(
    `update transfers t set refund_id = r.id from refunds r
     where r.status = 'succeeded' and t.id = 'tr_' || substr(r.id, 4)`,
  )
  await db.pool.query('vacuum analyze refunds, authorizations, transfers')
})

/** Runs what a poll does about refunds. @returns what it takes */
async function taken(work: (db: Explaining['db']) => Promise<unknown>): Promise<Explaining> {
  const explained = explaining(db, isLarge)
  await work(explained.db)
  return explained
}

function expectIndexed({ pages, scanned }: Explaining) {
  expect([...scanned]).toEqual([])
  expect(pages).toBeLessThan(pagesAllowed)
}

const due = { chainId, timestamp: 1_900_000_000, named: [], orphaned: [], due: null }

test('a poll looks at refunds that are open, by their own indexes, whatever has ended', async () => {
  expectIndexed(await taken(({ pool }) => findSettlingRefunds(pool, chainId)))
  expectIndexed(await taken(({ pool }) => findDueRefunds(pool, due)))
  expect(await findSettlingRefunds(db.pool, chainId)).toEqual([])
  expect(await findDueRefunds(db.pool, due)).toEqual([])
})

test('finds those that its transfers name, and locks and binds them, by an index', async () => {
  const { rows } = await db.pool.query<{ id: string; refund_reference: Hex }>(
    `select id, refund_reference from refunds where status = 'pending' order by id limit 20`,
  )
  const [ids, nonces] = [rows.map(({ id }) => id), rows.map((one) => one.refund_reference)]
  expectIndexed(await taken(({ pool }) => findByNonces(pool, chainId, nonces)))
  expectIndexed(await taken(({ pool }) => lockRefunds(pool, ids)))
  expectIndexed(await taken(({ pool }) => bindToRefunds(pool, ids)))
  expect(await findByNonces(db.pool, chainId, nonces)).toEqual(expect.arrayContaining(ids))
  const orphaned = [`tr_${hashOf(1)}`]
  expectIndexed(await taken(({ pool }) => findDueRefunds(pool, { ...due, named: ids, orphaned })))
})

test('what is refundable of an intent or a transfer is read by an index', async () => {
  const key = { chainId, confirmationsRequired: 5 }
  const { rows } = await db.pool.query('select id from payment_intents order by id limit 1')
  const intentId = rows[0].id
  expectIndexed(await taken(({ pool }) => findSource(pool, { ...key, intentId, transferId: null })))
  const transferId = intentId.replace('pi_', 'tr_')
  expectIndexed(await taken(({ pool }) => findSource(pool, { ...key, intentId: null, transferId })))
})
