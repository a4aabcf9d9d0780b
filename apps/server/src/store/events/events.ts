import type { EventType, Mode } from '@payment-intents/contract'
import type { Intent, IntentEvent } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'
import { newId } from '../lists/ids.ts'
import { wakeAll, withFanOut } from './fanOut.ts'
import { storeAlertObjects } from './storeAlertObjects.ts'

/** An event about an intent, a transfer or a refund, before it is written. */
export type NewEvent = {
  readonly merchantId: string
  readonly mode: Mode
  readonly type: EventType
  readonly intentId: string | null
  readonly transferId: string | null
  readonly refundId: string | null
  /** The payment link that the intent pays. */
  readonly paymentLink: string | null
  readonly sequence: number
  /** JSON text of `data.object`. */
  readonly object: string
}

export function rowsOf(intent: Intent, events: readonly IntentEvent[]): NewEvent[] {
  const { id, merchantId, mode } = intent
  return events.map((event) => ({
    ...event,
    merchantId,
    mode,
    intentId: id,
    transferId: null,
    refundId: null,
    paymentLink: intent.paymentLink,
  }))
}

/**
 * Writes events in their order, and the objects that alerts will name because of them. A transfer has a single event,
 * no matter how often the chain takes it back.
 * @param db a transaction
 * @param now Unix milliseconds
 */
export async function insertEvents(
  db: Queryable,
  events: readonly NewEvent[],
  now: number,
): Promise<void> {
  if (events.length === 0) return
  await db.query({
    name: 'insert-events',
    text: `with ${withFanOut(`
      insert into events
        (id, merchant_id, mode, type, intent_id, transfer_id, refund_id, payment_link, sequence, created_at, object)
      select id, merchant_id, mode, type, intent_id, transfer_id, refund_id, payment_link, sequence, $2,
        object
      from rows from (json_to_recordset($1) as (
        id text, merchant_id text, mode text, type text, intent_id text, transfer_id text,
        refund_id text, payment_link text, sequence integer, object text
      )) with ordinality
      order by ordinality
      on conflict (transfer_id) where transfer_id is not null do nothing`)} ${wakeAll}`,
    values: [JSON.stringify(events.map((event) => toRow(event, now))), new Date(now)],
  })
  await storeAlertObjects(db, events, now)
}

/**
 * Writes the next event of a webhook endpoint.
 * @param now Unix milliseconds
 */
export async function insertEndpointEvent(
  db: Queryable,
  event: Pick<NewEvent, 'merchantId' | 'mode' | 'type' | 'object'> & { endpointId: string },
  now: number,
): Promise<void> {
  await db.query({
    name: 'insert-endpoint-event',
    text: `with ${withFanOut(`
      insert into events (id, merchant_id, mode, type, endpoint_id, sequence, created_at, object)
      select $1, $2, $3, $4, $5, coalesce(max(sequence), 0) + 1, $6, $7
      from events where endpoint_id = $5`)} ${wakeAll}`,
    values: [
      newId('evt', now),
      event.merchantId,
      event.mode,
      event.type,
      event.endpointId,
      new Date(now),
      event.object,
    ],
  })
}

/** Writes the event of an alert. @param now Unix milliseconds */
export async function insertAlertEvent(
  db: Queryable,
  event: Pick<NewEvent, 'merchantId' | 'mode' | 'object'> & { alertId: string },
  now: number,
): Promise<void> {
  await db.query({
    name: 'insert-alert-event',
    text: `with ${withFanOut(`
      insert into events (id, merchant_id, mode, type, alert_id, sequence, created_at, object)
      values ($1, $2, $3, 'alert.raised', $4, 1, $5, $6)`)} ${wakeAll}`,
    values: [
      newId('evt', now),
      event.merchantId,
      event.mode,
      event.alertId,
      new Date(now),
      event.object,
    ],
  })
}

function toRow(event: NewEvent, now: number) {
  return {
    id: newId('evt', now),
    merchant_id: event.merchantId,
    mode: event.mode,
    type: event.type,
    intent_id: event.intentId,
    transfer_id: event.transferId,
    refund_id: event.refundId,
    payment_link: event.paymentLink,
    sequence: event.sequence,
    object: event.object,
  }
}
