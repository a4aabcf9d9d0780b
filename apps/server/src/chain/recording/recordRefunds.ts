import { type AppliedToRefund, applyRefundFacts, type RefundFact } from '@payment-intents/core'
import { clearAttention } from '../../store/attention/attention.ts'
import type { Queryable } from '../../store/connection/connect.ts'
import type { NewEvent } from '../../store/events/events.ts'
import { writeRefundChanges } from '../../store/refunds/changeRefunds.ts'
import { type StoredRefund, watchRefund } from '../../store/refunds/refunds.ts'
import { bindToRefunds } from '../../store/refunds/settlingRefunds.ts'
import type { ChainUpdate } from './writeUpdate.ts'

/**
 * Applies a poll to refunds that were locked before their transfers changed.
 *
 * @param update.orphanedIds transfers that a reorg removed
 * @param now Unix milliseconds
 */
export async function recordRefunds(
  db: Queryable,
  locked: readonly StoredRefund[],
  update: Pick<ChainUpdate, 'depthFrom' | 'proven' | 'scanned'> & {
    readonly orphanedIds: ReadonlySet<string>
  },
  now: number,
): Promise<readonly NewEvent[]> {
  if (locked.length === 0) return []
  const bound = await bindToRefunds(
    db,
    locked.map(({ id }) => id),
  )
  await clearAttention(
    db,
    [...bound.values()].map(({ id }) => id),
  )
  const { depthFrom: blockNumber, proven, scanned, orphanedIds } = update
  const orphanedTransferOf = ({ transfer }: StoredRefund) =>
    transfer !== null && orphanedIds.has(transfer.id) ? transfer : null
  for (const refund of locked) {
    // Its transaction may be mined again long after its nonce was watched.
    if (orphanedTransferOf(refund)) await watchRefund(db, refund, { now, from: scanned.timestamp })
  }
  const applied = locked.map((refund): AppliedToRefund => {
    const orphanedTransfer = orphanedTransferOf(refund)
    const transfer = bound.get(refund.id)
    const facts: RefundFact[] = []
    if (orphanedTransfer) facts.push({ type: 'transfer_orphaned', transferId: orphanedTransfer.id })
    if (transfer) facts.push({ type: 'transfer_seen', transfer })
    // The next poll decides whether a refund that lost its transfer can still be paid.
    if (!orphanedTransfer || transfer) {
      facts.push({ type: 'head', blockNumber, timestamp: scanned.timestamp, proven })
    }
    return applyRefundFacts(refund, facts)
  })
  return writeRefundChanges(db, applied, now)
}
