import type { Hex } from 'viem'
import type { Queryable } from '../connect.ts'

/** A transaction that no provider could show whole. */
export type SetAside = {
  readonly txHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  /** In words for an operator. */
  readonly reason: string
}

export async function findSetAside(db: Queryable, chainId: number): Promise<SetAside[]> {
  const { rows } = await db.query<SetAside>({
    name: 'find-set-aside',
    text: `
      select tx_hash as "txHash", block_number as "blockNumber", block_hash as "blockHash", reason
      from set_aside_transactions where chain_id = $1`,
    values: [chainId],
  })
  return rows
}

export async function insertSetAside(
  db: Queryable,
  chainId: number,
  transactions: readonly SetAside[],
): Promise<void> {
  if (transactions.length === 0) return
  await db.query({
    name: 'insert-set-aside',
    text: `
      insert into set_aside_transactions (chain_id, tx_hash, block_number, block_hash, reason)
      select $1, * from unnest($2::text[], $3::bigint[], $4::text[], $5::text[])
      on conflict (chain_id, tx_hash) do update
        set block_number = excluded.block_number, block_hash = excluded.block_hash,
          reason = excluded.reason, set_aside_at = now()`,
    values: [
      chainId,
      transactions.map((one) => one.txHash),
      transactions.map((one) => one.blockNumber),
      transactions.map((one) => one.blockHash),
      transactions.map((one) => one.reason),
    ],
  })
}

/** Forgets transactions that have been read after all. */
export async function dropSetAside(
  db: Queryable,
  chainId: number,
  txHashes: readonly Hex[],
): Promise<void> {
  if (txHashes.length === 0) return
  await db.query({
    name: 'drop-set-aside',
    text: 'delete from set_aside_transactions where chain_id = $1 and tx_hash = any($2)',
    values: [chainId, txHashes],
  })
}
