import { type AppliedToRefund, applyRefundFacts, type RefundFact } from '@payment-intents/core'
import type { Queryable } from '../../store/connection/connect.ts'
import type { NewEvent } from '../../store/events/events.ts'
import { writeRefundChanges } from '../../store/refunds/changeRefunds.ts'
import type { StoredRefund } from '../../store/refunds/refunds.ts'
import type { NamedRefund } from '../../store/refunds/settlingRefunds.ts'
import type { InsertedTransfer, StoredTransfer } from '../../store/transfers/transfers.ts'
import type { Reading } from './record.ts'

/** The refund that a transfer pays: its authorization's nonce names the refund, and it is what the refund asks for. */
export function refundOf(
  transfer: Pick<StoredTransfer, 'from' | 'to' | 'amount' | 'token'>,
  named: NamedRefund | undefined,
): string | null {
  if (!named) return null
  const { from, destination, amount, token } = named
  const isIt =
    (from === null || transfer.from === from) &&
    transfer.to === destination &&
    transfer.amount === amount &&
    transfer.token === token
  return isIt ? named.id : null
}

/**
 * Writes what a reading does to refunds that were locked before their transfers changed.
 *
 * @param now Unix milliseconds
 */
export async function recordRefunds(
  db: Queryable,
  locked: readonly StoredRefund[],
  reading: Pick<Reading, 'depthFrom' | 'proven'> & {
    /** Transfers that the chain took back. */
    readonly gone: ReadonlySet<string>
    readonly inserted: readonly InsertedTransfer[]
  },
  now: number,
): Promise<readonly NewEvent[]> {
  if (locked.length === 0) return []
  const seen = new Map(reading.inserted.map((transfer) => [transfer.refundId, transfer]))
  const applied = locked.map((refund): AppliedToRefund => {
    const { id, transfer: before } = refund
    const isLost = before !== null && reading.gone.has(before.id)
    const transfer = seen.get(id)
    const facts: RefundFact[] = [
      ...(isLost ? [{ type: 'transfer_orphaned', transferId: before.id } as const] : []),
      ...(transfer ? [{ type: 'transfer_seen', transfer } as const] : []),
    ]
    // The chain may have the transfer again: that it can be paid no more is for the next reading to say.
    const isLeft = isLost && !transfer
    return applyRefundFacts(
      refund,
      isLeft
        ? facts
        : [...facts, { type: 'head', blockNumber: reading.depthFrom, proven: reading.proven }],
    )
  })
  return writeRefundChanges(db, applied, now)
}
