import { type Address, chainFactsOf } from '@payment-intents/contract'
import type { Binding } from '@payment-intents/rules'
import type { Hex } from 'viem'
import type { Queryable } from './connect.ts'

/** A Transfer log where it stands in the chain. Addresses and hashes are lower-case. */
export type StoredTransfer = {
  readonly id: string
  readonly chainId: number
  readonly blockNumber: bigint
  readonly blockHash: Hex
  /** Unix seconds. */
  readonly blockTimestamp: number
  readonly txHash: Hex
  readonly logIndex: number
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  readonly token: Address
}

/**
 * Stores a transfer under its binding. One that was orphaned and whose block is canonical again is restored.
 * An unmatched one belongs to the merchant who is always paid at that wallet, of several to whose newest intent asked
 * for it; where there is none, to the merchant whose newest intent did.
 *
 * @returns the row's id, and whose it is; null when it is stored already
 */
export async function insertTransfer(
  db: Queryable,
  transfer: StoredTransfer,
  binding: Binding,
): Promise<{ id: string; merchantId: string | null } | null> {
  const { rows } = await db.query<{ id: string; merchant_id: string | null }>({
    name: 'insert-transfer',
    text: `
      with owner as (
        select coalesce(
          (select merchant_id from payment_intents where id = $11),
          (select w.merchant_id from merchant_wallets w where w.address = $9 and w.mode = $15
            order by (
              select max(p.created_at) from payment_intents p
              where p.expected_wallet = w.address and p.mode = w.mode and p.merchant_id = w.merchant_id
            ) desc nulls last, w.merchant_id limit 1),
          (select p.merchant_id from payment_intents p
            where p.expected_wallet = $9 and p.mode = $15
            order by p.created_at desc limit 1)
        ) as merchant_id
      )
      insert into transfers as t (id, chain_id, block_number, block_hash, block_timestamp, tx_hash,
        log_index, sender, wallet, amount_units, intent_id, bound_by, reason, token_address,
        merchant_id, mode)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
        (select merchant_id from owner), $15)
      on conflict (chain_id, block_hash, log_index) do update
        set orphaned = false, intent_id = excluded.intent_id, bound_by = excluded.bound_by,
          reason = excluded.reason, merchant_id = case
            when excluded.intent_id is null then t.merchant_id else excluded.merchant_id
          end
        where t.orphaned
      returning t.id, t.merchant_id`,
    values: [
      transfer.id,
      transfer.chainId,
      transfer.blockNumber,
      transfer.blockHash,
      transfer.blockTimestamp,
      transfer.txHash,
      transfer.logIndex,
      transfer.from,
      transfer.to,
      transfer.amount,
      binding.type === 'bound' ? binding.intentId : null,
      binding.type === 'bound' ? binding.by : null,
      binding.type === 'unmatched' ? binding.reason : null,
      transfer.token,
      chainFactsOf(transfer.chainId).mode,
    ],
  })
  return rows[0] ? { id: rows[0].id, merchantId: rows[0].merchant_id } : null
}

/** Which of these logs are stored as canonical already, as `<block hash>:<log index>`. */
export async function findKnownLogs(
  db: Queryable,
  chainId: number,
  blockHashes: readonly Hex[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ block_hash: Hex; log_index: number }>({
    name: 'find-known-logs',
    text: `
      select block_hash, log_index from transfers
      where chain_id = $1 and block_hash = any($2) and not orphaned`,
    values: [chainId, blockHashes],
  })
  return new Set(rows.map((row) => `${row.block_hash}:${row.log_index}`))
}

export type PlacedTransfer = {
  id: string
  blockNumber: bigint
  blockHash: Hex
}

/** Transfers held to be canonical above a height. */
export async function findPlacedAbove(
  db: Queryable,
  chainId: number,
  height: bigint,
): Promise<PlacedTransfer[]> {
  const { rows } = await db.query<{
    id: string
    block_number: bigint
    block_hash: Hex
  }>({
    name: 'find-placed-above',
    text: `
      select id, block_number, block_hash from transfers
      where chain_id = $1 and block_number > $2 and not orphaned`,
    values: [chainId, height],
  })
  return rows.map((row) => ({
    id: row.id,
    blockNumber: row.block_number,
    blockHash: row.block_hash,
  }))
}

/** Those of these transfers that are credited, with the intent of each. */
export async function findCredits(
  db: Queryable,
  ids: readonly string[],
): Promise<{ transferId: string; intentId: string }[]> {
  const { rows } = await db.query<{ id: string; intent_id: string }>({
    name: 'find-credits',
    text: 'select id, intent_id from transfers where id = any($1) and intent_id is not null',
    values: [ids],
  })
  return rows.map((row) => ({ transferId: row.id, intentId: row.intent_id }))
}

/** Marks transfers whose block is proven to be no longer canonical. */
export async function orphanTransfers(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query({
    name: 'orphan-transfers',
    text: 'update transfers set orphaned = true where id = any($1)',
    values: [ids],
  })
}

/** These transfers as they stand in the chain, by id. */
export async function findPlaces(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, StoredTransfer>> {
  const { rows } = await db.query<{
    id: string
    chain_id: number
    block_number: bigint
    block_hash: Hex
    block_timestamp: bigint
    tx_hash: Hex
    log_index: number
    sender: Address
    wallet: Address
    amount_units: bigint
    token_address: Address
  }>({
    name: 'find-places',
    text: 'select * from transfers where id = any($1)',
    values: [ids],
  })
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        chainId: row.chain_id,
        blockNumber: row.block_number,
        blockHash: row.block_hash,
        blockTimestamp: Number(row.block_timestamp),
        txHash: row.tx_hash,
        logIndex: row.log_index,
        from: row.sender,
        to: row.wallet,
        amount: row.amount_units,
        token: row.token_address,
      },
    ]),
  )
}

/** A merchant's own transfer, kept from being changed by others until the transaction ends. */
export async function lockTransfer(
  db: Queryable,
  who: { merchantId: string; mode: string },
  id: string,
): Promise<(StoredTransfer & { intentId: string | null; orphaned: boolean }) | null> {
  const { rows } = await db.query<{ intent_id: string | null; orphaned: boolean }>({
    name: 'lock-transfer',
    text: `
      select intent_id, orphaned from transfers
      where id = $1 and merchant_id = $2 and mode = $3 for update`,
    values: [id, who.merchantId, who.mode],
  })
  const transfer = (await findPlaces(db, [id])).get(id)
  const [row] = rows
  return row && transfer ? { ...transfer, intentId: row.intent_id, orphaned: row.orphaned } : null
}

/** The intent that a transfer is credited to, if any. */
export async function findCreditedTo(db: Queryable, id: string): Promise<string | null> {
  const { rows } = await db.query<{ intent_id: string | null }>({
    name: 'find-credited-to',
    text: 'select intent_id from transfers where id = $1',
    values: [id],
  })
  return rows[0]?.intent_id ?? null
}

/**
 * Credits a transfer to an intent by hand. Where it was assigned to another before, so are the blocks that the chain
 * left: what is assigned anywhere decides where the transaction is mined next.
 */
export async function assignRow(db: Queryable, id: string, intentId: string): Promise<void> {
  await db.query({
    name: 'assign-transfer',
    text: `
      with moved as (
        select * from transfers where id = $1
      ), left_behind as (
        -- One of equal transfers in each block.
        select distinct on (t.block_hash) t.id
        from transfers t join moved m
          on t.chain_id = m.chain_id and t.tx_hash = m.tx_hash and t.sender = m.sender
            and t.wallet = m.wallet and t.amount_units = m.amount_units
            and t.intent_id = m.intent_id and t.bound_by = m.bound_by
        where m.bound_by = 'assignment' and t.orphaned
        order by t.block_hash, t.log_index
      )
      update transfers set intent_id = $2, bound_by = 'assignment', reason = null
      where id = $1 or id in (select id from left_behind)`,
    values: [id, intentId],
  })
}
