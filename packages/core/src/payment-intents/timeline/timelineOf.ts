import { limits, type Timeline, type TimelineEntry } from '@payment-intents/contract'
import { checksummed } from '../../lib/checksummed.ts'
import type { Intent } from '../intent.ts'
import { safeNumber } from '../present.ts'
import type { TimelineAuthorization, TimelineRecords, TimelineTransfer } from './timelineRecords.ts'

/** The history of an intent, oldest first. Entries of one instant keep the order of their causes. */
export function timelineOf(intent: Intent, records: TimelineRecords): Timeline {
  const maxEntries = limits.timeline
  const { events, transfers, authorizations, deliveries, refunds } = records
  const isCut = [authorizations, deliveries, refunds].some((all) => all.length > maxEntries.others)
  const data: TimelineEntry[] = [
    { type: 'created', time: iso(intent.createdAt) },
    ...(intent.openedAt === null ? [] : [{ type: 'opened' as const, time: iso(intent.openedAt) }]),
    ...authorizations.slice(0, maxEntries.others).flatMap(ofAuthorization),
    ...transfers.slice(0, maxEntries.transfers).map((transfer) => ofTransfer(intent, transfer)),
    ...refunds.slice(0, maxEntries.others).map(({ id, status, amount, txHash, time }) => ({
      ...{ type: 'refund' as const, time: iso(time), refund: id, status },
      ...{ amount_units: safeNumber(amount), tx_hash: txHash },
    })),
    ...events.slice(0, maxEntries.events).map(({ id, type, refundId, time }) => ({
      ...{ type: 'event' as const, time: iso(time), event: id, event_type: type, refund: refundId },
    })),
    ...deliveries.slice(0, maxEntries.others).map(ofDelivery),
  ]
  return {
    data: data.toSorted((entry, other) => Date.parse(entry.time) - Date.parse(other.time)),
    truncated:
      isCut || events.length > maxEntries.events || transfers.length > maxEntries.transfers,
  }
}

function ofTransfer({ txHash, confirmations }: Intent, transfer: TimelineTransfer): TimelineEntry {
  const isPayment = transfer.txHash === txHash && !transfer.orphaned
  return {
    ...{ type: 'transfer', time: iso(transfer.seenAt), transfer: transfer.id },
    ...{ tx_hash: transfer.txHash, amount_units: safeNumber(transfer.amount) },
    ...{ from: checksummed(transfer.from), block_number: Number(transfer.blockNumber) },
    block_timestamp: iso(transfer.blockTimestamp * 1_000),
    confirmations: isPayment ? confirmations : null,
    ...{ bound_by: transfer.boundBy, orphaned: transfer.orphaned },
  }
}

function ofAuthorization(authorization: TimelineAuthorization): TimelineEntry[] {
  const { source, status, reason, createdAt, endedAt, broadcasts, txHash } = authorization
  const from = checksummed(authorization.from)
  return [
    { type: 'authorization_submitted', time: iso(createdAt), from, source },
    ...broadcasts.map(({ txHash, time }) => ({
      ...{ type: 'authorization_broadcast' as const, time: iso(time), from, tx_hash: txHash },
    })),
    ...(endedAt === null || status === 'in_flight'
      ? []
      : [
          {
            ...{ type: 'authorization_ended' as const, time: iso(endedAt), from, status, reason },
            tx_hash: txHash,
          },
        ]),
  ]
}

function ofDelivery(delivery: TimelineRecords['deliveries'][number]): TimelineEntry {
  const { lastAttemptAt, nextAttemptAt } = delivery
  const undelivered = nextAttemptAt ? 'pending' : 'failed'
  return {
    ...{ type: 'delivery', time: iso((lastAttemptAt ?? nextAttemptAt)?.getTime() ?? 0) },
    ...{ event: delivery.event, webhook_endpoint: delivery.endpointId },
    status: delivery.delivered ? 'succeeded' : undelivered,
    ...{ attempts: delivery.attempts, next_attempt_at: nextAttemptAt?.toISOString() ?? null },
    ...{ response_status: delivery.responseStatus, error: delivery.error },
  }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
