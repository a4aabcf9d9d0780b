import { type Address, chainFactsOf, statusSchema } from '@payment-intents/contract'
import type { Binding } from '@payment-intents/core'
import type { Hex } from 'viem'
import type { Queryable } from '../connection/connect.ts'

/** A Transfer log, with its position on the chain. Addresses and hashes are in lower case. */
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
  /** The nonce of the payer's authorization (EIP-3009) that caused the transfer; null: none did. */
  readonly authorizationNonce: Hex | null
}

/** A transfer with the intent that it pays, or with the reason why it pays none. */
export type BoundTransfer = StoredTransfer & { readonly binding: Binding }

/** A transfer that was not canonical before, with its merchant. */
export type InsertedTransfer = BoundTransfer & { readonly merchantId: string | null }

/**
 * Stores transfers with their bindings. An orphaned transfer whose block is canonical again is restored.
 *
 * An unmatched transfer belongs to the merchant who has proven its wallet, or else to the merchant who lists the
 * wallet. If several have, it belongs to the one whose intent at the wallet is the newest. If nobody has, it belongs to
 * the merchant of the newest intent at the wallet.
 * @param transfers of the chain, with each log once
 * @returns the transfers that were not canonical before, in their order; a restored transfer has its earlier id
 */
export async function insertTransfers(
  db: Queryable,
  chainId: number,
  transfers: readonly BoundTransfer[],
): Promise<InsertedTransfer[]> {
  if (transfers.length === 0) return []
  const { rows } = await db.query<InsertedRow>({
    name: 'insert-transfers',
    text: `
      with input as materialized (
        select * from json_to_recordset($3) as g (
          id text, block_number bigint, block_hash text, block_timestamp bigint, tx_hash text,
          log_index integer, sender text, wallet text, amount_units numeric, token_address text,
          intent_id text, bound_by text, reason text, authorization_nonce text
        )
      ), owners as (
        select wallet, coalesce(
          (select f.merchant_id from wallet_proofs f
            where f.address = wallet and (f.chain_id is null or f.chain_id = $1)
            order by (${newestIntentOf}) desc nulls last, f.merchant_id limit 1),
          (select w.merchant_id from merchant_wallets w where w.address = wallet and w.mode = $2
            order by (
              select max(p.created_at) from payment_intents p
              where p.expected_wallet = w.address and p.mode = w.mode and p.merchant_id = w.merchant_id
            ) desc nulls last, w.merchant_id limit 1),
          (select p.merchant_id from payment_intents p
            where p.expected_wallet = wallet and p.mode = $2
            order by p.created_at desc limit 1)
        ) as merchant_id
        from (select distinct wallet from input where intent_id is null) unmatched
      )
      insert into transfers as t (id, chain_id, block_number, block_hash, block_timestamp, tx_hash,
        log_index, sender, wallet, amount_units, intent_id, bound_by, reason, token_address,
        authorization_nonce, merchant_id, mode)
      select g.id, $1, block_number, block_hash, block_timestamp, tx_hash, log_index, sender,
        g.wallet, amount_units, intent_id, bound_by, reason, token_address, authorization_nonce,
        coalesce((select p.merchant_id from payment_intents p where p.id = g.intent_id), o.merchant_id),
        $2
      from input g left join owners o on o.wallet = g.wallet
      on conflict (chain_id, block_hash, log_index) do update
        set orphaned = false, intent_id = excluded.intent_id, bound_by = excluded.bound_by,
          reason = excluded.reason, refund_id = null,
          merchant_id = case
            when excluded.intent_id is null then t.merchant_id else excluded.merchant_id
          end
        where t.orphaned
      returning t.id, t.block_hash as "blockHash", t.log_index as "logIndex",
        t.merchant_id as "merchantId"`,
    values: [chainId, chainFactsOf(chainId).mode, JSON.stringify(transfers.map(toRow))],
  })
  const byLog = new Map(rows.map((row) => [logKey(row), row]))
  return transfers.flatMap((transfer) => {
    const row = byLog.get(logKey(transfer))
    return row ? [{ ...transfer, ...row }] : []
  })
}

/**
 * SQL of the newest intent id at a wallet of the merchant who has proven it (`f`). Reads the newest of each status, by
 * the index of the list of intents: an index of wallets alone would also lead through everybody else's intents.
 */
const newestIntentOf = `
  select max(newest.id)
  from unnest(array[${statusSchema.options.map((status) => `'${status}'`)}]) of_status (status)
  cross join lateral (
    select p.id from payment_intents p
    where p.merchant_id = f.merchant_id and p.mode = $2 and p.expected_wallet = f.address
      and p.status = of_status.status
    order by p.id desc limit 1
  ) newest`

type InsertedRow = Pick<InsertedTransfer, 'id' | 'blockHash' | 'logIndex' | 'merchantId'>

function toRow({ binding, ...transfer }: BoundTransfer) {
  return {
    id: transfer.id,
    block_number: String(transfer.blockNumber),
    block_hash: transfer.blockHash,
    block_timestamp: transfer.blockTimestamp,
    tx_hash: transfer.txHash,
    log_index: transfer.logIndex,
    sender: transfer.from,
    wallet: transfer.to,
    amount_units: String(transfer.amount),
    token_address: transfer.token,
    intent_id: binding.type === 'bound' ? binding.intentId : null,
    bound_by: binding.type === 'bound' ? binding.by : null,
    reason: binding.type === 'unmatched' ? binding.reason : null,
    authorization_nonce: transfer.authorizationNonce,
  }
}

/** Identifies a log on a chain. */
export function logKey(log: { blockHash: Hex; logIndex: number }): string {
  return `${log.blockHash}:${log.logIndex}`
}

export type CanonicalTransfer = Pick<
  StoredTransfer,
  'id' | 'blockNumber' | 'blockHash' | 'logIndex'
> & { readonly intentId: string | null }

/** Finds the canonical transfers in these blocks, or above the last common block. */
export async function findCanonicalTransfers(
  db: Queryable,
  chainId: number,
  where: { blockHashes: readonly Hex[]; lastCommonBlock: bigint },
): Promise<CanonicalTransfer[]> {
  const columns = `id, block_number as "blockNumber", block_hash as "blockHash",
    log_index as "logIndex", intent_id as "intentId"`
  const { rows } = await db.query<CanonicalTransfer>({
    name: 'find-canonical-transfers',
    text: `
      select ${columns} from transfers
      where chain_id = $1 and block_hash = any($2) and not orphaned
      union
      select ${columns} from transfers
      where chain_id = $1 and block_number > $3 and not orphaned`,
    values: [chainId, where.blockHashes, where.lastCommonBlock],
  })
  return rows
}

/** Finds the transactions that have a stored transfer, in any block. */
export async function findStoredTransactions(
  db: Queryable,
  chainId: number,
  txHashes: readonly Hex[],
): Promise<ReadonlySet<Hex>> {
  if (txHashes.length === 0) return new Set()
  const { rows } = await db.query<{ txHash: Hex }>({
    name: 'find-stored-transactions',
    text: `select distinct tx_hash as "txHash" from transfers where chain_id = $1 and tx_hash = any($2)`,
    values: [chainId, txHashes],
  })
  return new Set(rows.map(({ txHash }) => txHash))
}

/** Marks transfers whose block is proven to be canonical no longer. */
export async function orphanTransfers(db: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.query({
    name: 'orphan-transfers',
    text: 'update transfers set orphaned = true where id = any($1)',
    values: [ids],
  })
}

/** SQL of the columns of a {@link StoredTransfer}, from `transfers t`, with its intent and whether it is orphaned. */
export const transferColumns = `t.id, t.chain_id as "chainId", t.block_number as "blockNumber",
  t.block_hash as "blockHash", t.block_timestamp::float8 as "blockTimestamp", t.tx_hash as "txHash",
  t.log_index as "logIndex", t.sender as "from", t.wallet as "to", t.amount_units as amount,
  t.token_address as token, t.authorization_nonce as "authorizationNonce", t.intent_id as "intentId", t.orphaned`

type LockedTransfer = StoredTransfer & {
  readonly intentId: string | null
  readonly orphaned: boolean
  readonly isRefunded: boolean
}

/** Locks a merchant's transfer until the transaction ends, and reads it. */
export async function lockTransfer(
  db: Queryable,
  actor: { merchantId: string; mode: string },
  id: string,
): Promise<LockedTransfer | null> {
  const values = [id, actor.merchantId, actor.mode]
  const isOwner = 't.id = $1 and t.merchant_id = $2 and t.mode = $3'
  await db.query({
    name: 'lock-transfer',
    text: `select from transfers t where ${isOwner} for update`,
    values,
  })
  // Read in a separate statement: a statement that waited for a lock would return refunds as they were before.
  const { rows } = await db.query<LockedTransfer>({
    name: 'find-locked-transfer',
    text: `
      select ${transferColumns}, exists (
        select from refunds r where r.transfer_id = t.id and r.status <> 'canceled'
      ) as "isRefunded"
      from transfers t where ${isOwner}`,
    values,
  })
  return rows[0] ?? null
}

export async function findChainId(db: Queryable, id: string): Promise<number | null> {
  const { rows } = await db.query<{ chain_id: number }>({
    name: 'find-chain-of-transfer',
    text: 'select chain_id from transfers where id = $1',
    values: [id],
  })
  return rows[0]?.chain_id ?? null
}

/** Finds the intent to which a transfer is credited; null: none. */
export async function findCreditedTo(db: Queryable, id: string): Promise<string | null> {
  const { rows } = await db.query<{ intent_id: string | null }>({
    name: 'find-credited-to',
    text: 'select intent_id from transfers where id = $1',
    values: [id],
  })
  return rows[0]?.intent_id ?? null
}

/**
 * Credits a transfer to an intent by hand. If it was assigned before, its orphaned copies also move, since an
 * assignment still decides after a reorg.
 */
export async function assignRow(db: Queryable, id: string, intentId: string): Promise<void> {
  await db.query({
    name: 'assign-transfer',
    text: `
      with moved as (
        select * from transfers where id = $1
      ), copies as (
        -- In each block, one of several equal transfers.
        select distinct on (t.block_hash) t.id
        from transfers t join moved m
          on t.chain_id = m.chain_id and t.tx_hash = m.tx_hash and t.sender = m.sender
            and t.wallet = m.wallet and t.amount_units = m.amount_units
            and t.intent_id = m.intent_id and t.bound_by = m.bound_by
        where m.bound_by = 'assignment' and t.orphaned
        order by t.block_hash, t.log_index
      )
      update transfers set intent_id = $2, bound_by = 'assignment', reason = null
      where id = $1 or id in (select id from copies)`,
    values: [id, intentId],
  })
}
