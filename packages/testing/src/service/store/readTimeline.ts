import type { TimelineRecords } from '@payment-intents/core'
import type { Refunds } from '../refunds/refunds.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import { timeOfId } from './createIds.ts'
import type { Records } from './records.ts'

/** The records of an intent. A test has few of each kind, so there are no pages. */
export function readTimeline(
  records: Records,
  { refunds, webhooks }: { readonly refunds: Refunds; readonly webhooks: Webhooks },
  id: string,
): TimelineRecords {
  const intentRefunds = refunds.ofIntent(id)
  const refundOf = ({ type, presented }: Records['events'][number]) =>
    intentRefunds.find(
      (refund) => type.startsWith('refund.') && refund.id === presented.data.object.id,
    )
  const events = records.events.filter((event) => event.intentId === id || refundOf(event))
  return {
    events: events.map((event) => ({
      ...{ id: event.id, type: event.type, refundId: refundOf(event)?.id ?? null },
      time: event.createdAt.getTime(),
    })),
    transfers: [...records.transfers.values()].flatMap(({ boundBy, ...transfer }) =>
      transfer.intentId === id && boundBy ? [{ ...transfer, boundBy }] : [],
    ),
    authorizations: [...records.authorizations.values()]
      .filter(({ intentId }) => intentId === id)
      .map((item) => ({ ...item, createdAt: timeOfId(item.id), broadcasts: [] })),
    deliveries: webhooks.deliveriesOf(events.map((event) => event.id)),
    refunds: intentRefunds.map((refund) => ({
      ...{ id: refund.id, status: refund.status, amount: refund.amount },
      ...{ txHash: refund.transfer?.txHash ?? null, time: refund.createdAt },
    })),
  }
}
