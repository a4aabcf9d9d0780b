import { chainFactsOf } from '@payment-intents/contract'
import type { ObservedTransfer } from '@payment-intents/core'
import type { Hex } from 'viem'
import { updateAttentionOfTransfers } from '../attention/updateAttentionOfTransfers.ts'
import type { Queryable } from '../connection/connect.ts'

/**
 * Finds the stored canonical transfers of these transactions, by transaction and log index, with the refunds that they
 * pay. Serializes the transactions that attach transfers of them, since a transfer that is not stored yet has no row to
 * lock.
 */
export async function findAttachable(
  db: Queryable,
  chainId: number,
  transfers: readonly ObservedTransfer[],
): Promise<ReadonlyMap<string, { readonly id: string; readonly refundId: string | null }>> {
  const hashes = [...new Set(transfers.map(({ txHash }) => txHash))].sort()
  for (const hash of hashes) {
    await db.query({
      name: 'lock-attachable',
      text: `select pg_advisory_xact_lock(hashtextextended('attach ' || $1 || $2, 0))`,
      values: [String(chainId), hash],
    })
  }
  const { rows } = await db.query<{
    id: string
    refundId: string | null
    txHash: Hex
    logIndex: number
  }>({
    name: 'find-attachable-transfers',
    text: `
      select id, refund_id as "refundId", tx_hash as "txHash", log_index as "logIndex"
      from transfers where chain_id = $1 and tx_hash = any ($2) and not orphaned
      for update`,
    values: [chainId, hashes],
  })
  return new Map(rows.map((row) => [`${row.txHash}:${row.logIndex}`, row]))
}

/** Assigns a transfer to a refund. Stores the transfer if the follower has not: its wallets may not be watched. */
export async function attachTransfer(
  db: Queryable,
  transfer: ObservedTransfer & {
    readonly id: string
    readonly refundId: string
    readonly chainId: number
  },
): Promise<void> {
  // Another transaction may have been attached before, by mistake.
  const { rows: detached } = await db.query<{ id: string }>({
    name: 'detach-transfers',
    text: `
      update transfers set refund_id = null where refund_id = $1 and id <> $2 and not orphaned
      returning id`,
    values: [transfer.refundId, transfer.id],
  })
  await db.query({
    name: 'attach-transfer',
    text: `
      insert into transfers (id, chain_id, block_number, block_hash, block_timestamp, tx_hash,
        log_index, sender, wallet, amount_units, token_address, authorization_nonce, refund_id,
        merchant_id, mode, reason)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, null, $14, 'no_intent')
      on conflict (id) do update set refund_id = excluded.refund_id`,
    values: [
      transfer.id,
      transfer.chainId,
      String(transfer.blockNumber),
      transfer.blockHash,
      transfer.blockTimestamp,
      transfer.txHash,
      transfer.logIndex,
      transfer.from,
      transfer.to,
      String(transfer.amount),
      transfer.token,
      transfer.authorizationNonce,
      transfer.refundId,
      chainFactsOf(transfer.chainId).mode,
    ],
  })
  await updateAttentionOfTransfers(db, [transfer.id, ...detached.map(({ id }) => id)])
}
