import type { Hex } from 'viem'
import type { Queryable } from '../connection/connect.ts'

/**
 * A transaction with a transfer to a known wallet that no provider has returned completely, or that could not be
 * recorded.
 */
export type DeferredTransaction = {
  readonly txHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  /** For an operator, in words. */
  readonly reason: string
  /** Whether its receipt was too large or too slow to read in a poll. */
  readonly isLarge: boolean
  /** Unix milliseconds, by this process's clock. */
  readonly failingSince: number
  readonly retryAt: number
  /** Whether it has failed for so long that it is reported. */
  readonly isQuarantined: boolean
}

/** @param now Unix milliseconds, by this process's clock; the times of failures are measured by the database's */
export async function findDeferred(
  db: Queryable,
  chainId: number,
  now: number,
): Promise<DeferredTransaction[]> {
  const { rows } = await db.query<
    Omit<DeferredTransaction, 'failingSince' | 'retryAt'> & { failingMs: number; waitMs: number }
  >({
    name: 'find-deferred',
    text: `
      select tx_hash as "txHash", block_number as "blockNumber", block_hash as "blockHash", reason,
        is_large as "isLarge", quarantined_at is not null as "isQuarantined",
        extract(epoch from now() - deferred_at)::float8 * 1000 as "failingMs",
        extract(epoch from retry_at - now())::float8 * 1000 as "waitMs"
      from deferred_transactions where chain_id = $1`,
    values: [chainId],
  })
  return rows.map(({ failingMs, waitMs, ...row }) => ({
    ...row,
    failingSince: now - failingMs,
    retryAt: now + waitMs,
  }))
}

/**
 * Stores the transactions that have just failed. A transaction that failed before keeps the time of its first failure.
 */
export async function upsertDeferred(
  db: Queryable,
  chainId: number,
  transactions: readonly DeferredTransaction[],
  now: number,
): Promise<void> {
  if (transactions.length === 0) return
  await db.query({
    name: 'upsert-deferred',
    text: `
      insert into deferred_transactions as d
        (chain_id, tx_hash, block_number, block_hash, reason, is_large, retry_at, quarantined_at)
      select $1, tx_hash, block_number, block_hash, reason, is_large,
        now() + make_interval(secs => wait_ms / 1000), case when is_quarantined then now() end
      from unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::boolean[], $7::float8[], $8::boolean[])
        as failed (tx_hash, block_number, block_hash, reason, is_large, wait_ms, is_quarantined)
      on conflict (chain_id, tx_hash) do update
        set block_number = excluded.block_number, block_hash = excluded.block_hash,
          reason = excluded.reason, is_large = excluded.is_large, retry_at = excluded.retry_at,
          quarantined_at = coalesce(d.quarantined_at, excluded.quarantined_at)`,
    values: [
      chainId,
      transactions.map((transaction) => transaction.txHash),
      transactions.map((transaction) => transaction.blockNumber),
      transactions.map((transaction) => transaction.blockHash),
      transactions.map((transaction) => transaction.reason),
      transactions.map((transaction) => transaction.isLarge),
      transactions.map((transaction) => transaction.retryAt - now),
      transactions.map((transaction) => transaction.isQuarantined),
    ],
  })
}

/** Stops the reports of a quarantined transaction. Attempts to read it continue. */
export async function dismissQuarantined(
  db: Queryable,
  chainId: number,
  txHash: string,
): Promise<'dismissed' | 'not_quarantined'> {
  const { rowCount } = await db.query(
    `update deferred_transactions set dismissed_at = coalesce(dismissed_at, now())
     where chain_id = $1 and tx_hash = $2 and quarantined_at is not null`,
    [chainId, txHash],
  )
  return rowCount === 0 ? 'not_quarantined' : 'dismissed'
}

/** Deletes transactions that have now been read, or that the chain took back. */
export async function deleteDeferred(
  db: Queryable,
  chainId: number,
  txHashes: readonly Hex[],
): Promise<void> {
  if (txHashes.length === 0) return
  await db.query({
    name: 'delete-deferred',
    text: 'delete from deferred_transactions where chain_id = $1 and tx_hash = any($2)',
    values: [chainId, txHashes],
  })
}
