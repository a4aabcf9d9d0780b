import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Queryable } from '../connection/connect.ts'
import { asText } from '../lists/values.ts'

/** A transaction whose outcome is open: pending, or in a block that may still be replaced. */
export type Outstanding = {
  readonly txHash: Hex
  readonly relayer: Address
  readonly nonce: number
  readonly raw: Hex
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly state: 'pending' | 'mined'
  /** The block in which it was last seen. */
  readonly blockNumber: bigint | null
  readonly createdAt: Date
  /** The hash of the payer's code when it was recorded; null: the payer had no code. */
  readonly codeHash: Hex | null
  /** null: the transaction is empty. */
  readonly authorization: {
    readonly id: string
    readonly intentId: string | null
    readonly refundId: string | null
    readonly isInFlight: boolean
    readonly token: Address
    readonly authorizer: Address
    readonly nonce: Hex
    /** Unix seconds. */
    readonly validBefore: number
  } | null
}

/** Reads the outstanding transactions of a chain, of any key, by nonce and then by fee. */
export async function readOutstanding(db: Queryable, chainId: number): Promise<Outstanding[]> {
  const { rows } = await db.query<Omit<Outstanding, 'nonce'> & { nonce: bigint }>({
    name: 'read-outstanding',
    text: `
      select t.tx_hash as "txHash", t.relayer, t.nonce, t.raw, t.gas_limit as "gasLimit",
        t.max_fee_per_gas as "maxFeePerGas",
        t.max_priority_fee_per_gas as "maxPriorityFeePerGas", t.state,
        t.block_number as "blockNumber", t.created_at as "createdAt",
        t.code_hash as "codeHash",
        case when a.id is not null then json_build_object(
          'id', a.id, 'intentId', a.intent_id, 'refundId', a.refund_id, 'isInFlight', a.status = 'in_flight',
          'token', a.token_address, 'authorizer', a.authorizer, 'nonce', a.nonce,
          'validBefore', a.valid_before
        ) end as authorization
      from relayer_transactions t left join authorizations a on a.id = t.authorization_id
      where t.chain_id = $1 and t.state in ('pending', 'mined')
      order by t.nonce, t.max_fee_per_gas`,
    values: [chainId],
  })
  return rows.map((row) => ({ ...row, nonce: Number(row.nonce) }))
}

/** Finds the greatest nonce of a key's transactions; null: it has none. */
export async function findLastNonce(
  db: Queryable,
  key: { chainId: number; relayer: Address },
): Promise<number | null> {
  const { rows } = await db.query<{ last: bigint | null }>({
    name: 'find-last-nonce',
    text: `
      select max(nonce) as last from relayer_transactions
      where chain_id = $1 and relayer = $2 and state <> 'dropped'`,
    values: [key.chainId, key.relayer],
  })
  const last = rows[0]?.last ?? null
  return last === null ? null : Number(last)
}

export type NewTransaction = {
  readonly txHash: Hex
  readonly nonce: number
  readonly authorizationId: string | null
  readonly raw: Hex
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** The hash of the payer's code; null: the payer has none, or the transaction is empty. */
  readonly codeHash: Hex | null
}

/** Records transactions before they are sent, and wakes the checkouts of their authorizations. */
export async function insertTransactions(
  db: Queryable,
  key: { chainId: number; relayer: Address },
  transactions: readonly NewTransaction[],
): Promise<void> {
  if (transactions.length === 0) return
  await db.query({
    name: 'insert-relayer-transactions',
    text: `
      with input as (
        select * from json_to_recordset($3) as (
          "txHash" text, nonce bigint, "authorizationId" text, raw text, "gasLimit" bigint,
          "maxFeePerGas" numeric, "maxPriorityFeePerGas" numeric, "codeHash" text
        )
      ), inserted as (
        insert into relayer_transactions (chain_id, relayer, tx_hash, nonce, authorization_id, raw,
          gas_limit, max_fee_per_gas, max_priority_fee_per_gas, code_hash)
        select $1, $2, "txHash", nonce, "authorizationId", raw, "gasLimit", "maxFeePerGas",
          "maxPriorityFeePerGas", "codeHash" from input
      ), submitted as (
        update authorizations a set tx_hash = g."txHash" from input g
        where a.id = g."authorizationId" and a.status = 'in_flight' returning a.intent_id
      )
      update payment_intents set version = version + 1
      where id in (select intent_id from submitted)`,
    values: [key.chainId, key.relayer, JSON.stringify(transactions, asText)],
  })
}

/**
 * The new state of a transaction. `pending`: a reorg removed its block. `dropped`: another transaction has used its
 * nonce finally, either a replacement or a transaction of another program with the key.
 */
export type TransactionUpdate = {
  readonly txHash: Hex
  readonly state: 'pending' | 'mined' | 'final' | 'dropped'
  readonly blockNumber: bigint | null
  readonly succeeded: boolean | null
  /** Wei. */
  readonly cost: bigint | null
}

export async function updateTransactions(
  db: Queryable,
  chainId: number,
  updates: readonly TransactionUpdate[],
): Promise<void> {
  if (updates.length === 0) return
  await db.query({
    name: 'update-relayer-transactions',
    text: `
      update relayer_transactions t
      set state = s.state, block_number = s."blockNumber", succeeded = s.succeeded, cost = s.cost
      from json_to_recordset($2) as s (
        "txHash" text, state text, "blockNumber" bigint, succeeded boolean, cost numeric
      )
      where t.chain_id = $1 and t.tx_hash = s."txHash"`,
    values: [chainId, JSON.stringify(updates, asText)],
  })
}

/** Sets final transactions whose blocks a reorg removed back to `pending`. */
export async function reopenTransactions(
  db: Queryable,
  key: { chainId: number; relayer: Address },
  chain: { nextNonce: number; head: bigint },
): Promise<void> {
  await db.query({
    name: 'reopen-relayer-transactions',
    text: `
      update relayer_transactions
      set state = 'pending', block_number = null, succeeded = null, cost = null
      where chain_id = $1 and relayer = $2 and nonce >= $3 and state = 'final' and block_number <= $4`,
    values: [key.chainId, key.relayer, chain.nextNonce, chain.head],
  })
}

/** Finds the nonces of a key's transactions from a number on, except dropped transactions. */
export async function findNonces(
  db: Queryable,
  key: { chainId: number; relayer: Address },
  from: number,
): Promise<ReadonlySet<number>> {
  const { rows } = await db.query<{ nonce: bigint }>({
    name: 'find-nonces',
    text: `
      select distinct nonce from relayer_transactions
      where chain_id = $1 and relayer = $2 and nonce >= $3 and state <> 'dropped'`,
    values: [key.chainId, key.relayer, from],
  })
  return new Set(rows.map(({ nonce }) => Number(nonce)))
}

/** Whether a deep reorg put an authorization in flight again that a final, successful transaction had carried. */
export async function hasReorgedSuccess(db: Queryable, chainId: number): Promise<boolean> {
  const { rows } = await db.query<{ reorged: boolean }>({
    name: 'has-reorged-success',
    text: `
      select exists (
        select from authorizations a join relayer_transactions t on t.authorization_id = a.id
        where a.chain_id = $1 and a.status = 'in_flight' and t.state = 'final' and t.succeeded
      ) as reorged`,
    values: [chainId],
  })
  return rows[0]?.reorged ?? false
}
