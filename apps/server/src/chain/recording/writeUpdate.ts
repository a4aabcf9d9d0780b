import type { Hex } from 'viem'
import { replaceHeaders } from '../../store/chains/blocks.ts'
import { advanceCursor, advanceRescan, type Lease } from '../../store/chains/cursors.ts'
import {
  type DeferredTransaction,
  deleteDeferred,
  upsertDeferred,
} from '../../store/chains/deferredTransactions.ts'
import { forget } from '../../store/chains/forget.ts'
import { type Db, type Queryable, transaction } from '../../store/connection/connect.ts'
import { lowerSinceBlock } from '../../store/payment-intents/reservations.ts'
import type { FailedIntents } from '../../store/payment-intents/settling.ts'
import { endClosing } from '../../store/payment-links/places.ts'
import type { CanonicalTransfer } from '../../store/transfers/transfers.ts'
import { type Reconciled, windowSize } from '../polling/reconcile.ts'
import type { RereadProgress } from '../polling/reread.ts'
import type { ScannedTransaction } from '../polling/scan.ts'
import { type WriteResult, writePart } from './writePart.ts'

/** The result of one poll, to be recorded. */
export type ChainUpdate = {
  readonly reconciled: Exclude<Reconciled, { type: 'behind' }>
  /** The first block that a reorg may have replaced since it was read; null: none. */
  readonly reorgedFrom: bigint | null
  /** The cursor after the poll; `timestamp` is the chain's clock, Unix seconds. */
  readonly scanned: { readonly to: bigint; readonly timestamp: number }
  /** Whether the chain counts as read now: its provider is not behind the cursor. */
  readonly isFresh: boolean
  /** Whether a nonce of a refund is watched. */
  readonly watchesRefunds: boolean
  /** The chain's newest block. */
  readonly head: bigint
  /** The block from which depth counts; null: not known. */
  readonly depthFrom: bigint | null
  readonly reread: RereadProgress
  /** Transfers that earlier polls of the same blocks did not return. */
  readonly delayedTransfers: number
  readonly transactions: readonly ScannedTransaction[]
  /** Transactions that could not be read. */
  readonly deferred: readonly DeferredTransaction[]
  /** Transactions that were deferred, and were read now or removed by a reorg. */
  readonly noLongerDeferred: readonly Hex[]
  /** Stored transfers at whose height the chain has another block. */
  readonly orphaned: readonly CanonicalTransfer[]
  /** Intents that could not be read, and why. */
  readonly failed: FailedIntents
  /** The ids of transfers that are deep enough, and whose receipts both providers confirm. */
  readonly proven: ReadonlySet<string>
  /** Whether to delete expired rows. */
  readonly deletesExpired: boolean
}

/**
 * Writes a poll: cursor, headers, facts, intents and events in one transaction, under the lease. The number of statements does not depend
 * on the number of transfers.
 *
 * @throws {LeaseLost} if another process now follows the chain; nothing is written then
 */
export function writeUpdate(
  db: Db,
  lease: Lease,
  update: ChainUpdate,
  skippedIntents: ReadonlySet<string>,
  now: number,
): Promise<WriteResult> {
  const { chainId } = lease
  return transaction(db, async (client) => {
    await writeCursor(client, lease, update, now)
    const orphaned = update.orphaned.filter(
      ({ intentId }) => !includesIntent(skippedIntents, intentId),
    )
    const part = {
      transactions: update.transactions,
      orphaned,
      due: null,
      dueRefunds: null,
      skippedIntents,
    }
    const written = await writePart(client, chainId, update, part, now)
    const { timestamp } = update.scanned
    if (update.deletesExpired) {
      await forget(client, { chainId, timestamp })
      await endClosing(client)
    }
    return written
  })
}

/** Writes how far the chain has been read. @throws {LeaseLost} */
export async function writeCursor(
  client: Queryable,
  lease: Lease,
  update: ChainUpdate,
  now: number,
): Promise<void> {
  const { chainId } = lease
  const { scanned, reconciled, reorgedFrom } = update
  await advanceCursor(client, lease, cursorOf(update))
  if (update.reread.rescanned) await advanceRescan(client, chainId, update.reread.rescanned)
  await upsertDeferred(client, chainId, update.deferred, now)
  await deleteDeferred(client, chainId, update.noLongerDeferred)
  await replaceHeaders(client, chainId, {
    keepFrom: scanned.to - BigInt(windowSize) + 1n,
    keepTo: reconciled.type === 'linked' ? reconciled.ancestor : -1n,
    added: reconciled.added,
  })
  if (reorgedFrom !== null) await lowerSinceBlock(client, { chainId, reorgedFrom })
}

export function cursorOf({ scanned, isFresh, head, reread, delayedTransfers }: ChainUpdate) {
  return { ...scanned, isFresh, head, rereadTo: reread.to, delayedTransfers }
}

export function includesIntent(intents: ReadonlySet<string>, intentId: string | null): boolean {
  return intentId !== null && intents.has(intentId)
}
