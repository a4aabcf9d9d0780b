import type { AppliedToRefund } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'
import { insertEvents, type NewEvent } from '../events/events.ts'
import { saveRefunds } from './refunds.ts'
import { updateAttentionOfRefunds } from './updateAttentionOfRefunds.ts'

/**
 * Writes changes of locked refunds, with their events. After its creation, a refund changes only here.
 * @param now Unix milliseconds
 * @returns every event that was written
 */
export async function writeRefundChanges(
  db: Queryable,
  applied: readonly AppliedToRefund[],
  now: number,
): Promise<readonly NewEvent[]> {
  const changed = applied.filter((appliedToRefund) => appliedToRefund.changed)
  await saveRefunds(
    db,
    changed.map(({ refund }) => refund),
  )
  await updateAttentionOfRefunds(
    db,
    changed.map(({ refund }) => refund),
    now,
  )
  const events = changed.flatMap(refundEventRows)
  await insertEvents(db, events, now)
  return events
}

export function refundEventRows({
  refund,
  events,
}: Pick<AppliedToRefund, 'refund' | 'events'>): NewEvent[] {
  const { id, merchantId, mode } = refund
  return events.map((event) => {
    const subject = { intentId: null, transferId: null, refundId: id, paymentLink: null }
    return { ...event, merchantId, mode, ...subject }
  })
}
