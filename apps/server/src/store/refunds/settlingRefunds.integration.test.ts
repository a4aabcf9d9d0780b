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
  findDueRefunds,
  findRefundsByNonces,
  findSettlingRefunds,
} from './settlingRefunds.ts'

const count = isFull ? 40_000 : 4_000
/** The number of refunds that are signed and wait. */
const open = 100
const chainId = 84532
const isLarge = /^(payment_intents|transfers|refunds|authorizations)$/
/** The maximum of PostgreSQL's pages that a statement reads: some for each open refund, and none for ended refunds. */
const pagesAllowed = 15 * open
const db = dbOfFile()

beforeAll(async () => {
  await insertMerchant(db.pool, { id: 'mer_1', name: 'Shop', defaultChain: null })
  await fillLists(db, 'mer_1', count)
  // The oldest were paid long ago, the newest wait until their signature is used, and half were canceled.
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

/**
 * Runs a poll's statements about refunds.
 * @returns their cost
 */
async function explain(work: (db: Explaining['db']) => Promise<unknown>): Promise<Explaining> {
  const explained = explaining(db, isLarge)
  await work(explained.db)
  return explained
}

function expectIndexed({ pages, scanned }: Explaining) {
  expect([...scanned]).toEqual([])
  expect(pages).toBeLessThan(pagesAllowed)
}

const due = { chainId, timestamp: 1_900_000_000, named: [], orphaned: [], due: null }

test('a poll reads open refunds by their indexes, for any number of ended refunds', async () => {
  expectIndexed(await explain(({ pool }) => findSettlingRefunds(pool, chainId)))
  expectIndexed(await explain(({ pool }) => findDueRefunds(pool, due)))
  expect(await findSettlingRefunds(db.pool, chainId)).toEqual([])
  expect(await findDueRefunds(db.pool, due)).toEqual([])
})

test('a poll finds, locks and binds the refunds of its transfers by an index', async () => {
  const { rows } = await db.pool.query<{ id: string; refund_reference: Hex }>(
    `select id, refund_reference from refunds where status = 'pending' order by id limit 20`,
  )
  const [ids, nonces] = [rows.map(({ id }) => id), rows.map((row) => row.refund_reference)]
  expectIndexed(await explain(({ pool }) => findRefundsByNonces(pool, chainId, nonces)))
  expectIndexed(await explain(({ pool }) => lockRefunds(pool, ids)))
  expectIndexed(await explain(({ pool }) => bindToRefunds(pool, ids)))
  expect(await findRefundsByNonces(db.pool, chainId, nonces)).toEqual(expect.arrayContaining(ids))
  const orphaned = [`tr_${hashOf(1)}`]
  expectIndexed(await explain(({ pool }) => findDueRefunds(pool, { ...due, named: ids, orphaned })))
})

test('the refundable amount of an intent or a transfer is read by an index', async () => {
  const key = { chainId, confirmationsRequired: 5 }
  const { rows } = await db.pool.query('select id from payment_intents order by id limit 1')
  const intentId = rows[0].id
  expectIndexed(
    await explain(({ pool }) => findSource(pool, { ...key, intentId, transferId: null })),
  )
  const transferId = intentId.replace('pi_', 'tr_')
  expectIndexed(
    await explain(({ pool }) => findSource(pool, { ...key, intentId: null, transferId })),
  )
})

test.each([
  ['chain_id', 80002],
  ['sender', '0x6'],
  ['authorization_nonce', `0x${'12'.repeat(32)}`],
  ['wallet', `0x${'8'.repeat(40)}`],
  ['amount_units', 10_001],
  ['token_address', `0x${'9'.repeat(40)}`],
  ['orphaned', true],
  ['refund_id', 're_another'],
])('a refund gets no transfer that differs from it in %s', async (column, value) => {
  const { rows } = await db.pool.query(
    `select id, refund_reference from refunds where status = 'pending' order by id desc limit 1`,
  )
  const [{ id, refund_reference: nonce }] = rows
  const transferId = `tr_${column}`
  await db.pool.query(
    `insert into transfers (id, chain_id, block_number, block_hash, block_timestamp, tx_hash, log_index,
       sender, wallet, amount_units, token_address, authorization_nonce, mode, reason)
     select $1, chain_id, 1, $1, 1, $1, 0, '0x5', destination, amount_units, token_address,
       refund_reference, mode, 'no_intent'
     from refunds where id = $2`,
    [transferId, id],
  )
  await db.pool.query(`update transfers set ${column} = $2 where id = $1`, [transferId, value])
  expect(await bindToRefunds(db.pool, [id])).toEqual(new Map())
  const result = column === 'chain_id' ? await findRefundsByNonces(db.pool, 80002, [nonce]) : []
  expect(result, 'another chain’s').toEqual([])
  await db.pool.query(
    `update transfers t set chain_id = r.chain_id, sender = '0x5', wallet = r.destination,
       authorization_nonce = r.refund_reference, amount_units = r.amount_units,
       token_address = r.token_address, orphaned = false, refund_id = null
     from refunds r where t.id = $1 and r.id = $2`,
    [transferId, id],
  )
  expect([...(await bindToRefunds(db.pool, [id])).keys()]).toEqual([id])
  await db.pool.query('delete from transfers where id = $1', [transferId])
})
