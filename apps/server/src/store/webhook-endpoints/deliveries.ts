import type { Actor, Page, StoredDelivery } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'
import { toPage } from '../lists/toPage.ts'

/**
 * Queues an event again, even for endpoints that received it. A test event is only for its own endpoint.
 * @returns the number of deliveries
 */
export async function redeliverEvent(
  db: Queryable,
  actor: Actor,
  eventId: string,
  endpointId: string | null,
): Promise<number> {
  const { rowCount } = await db.query(
    `insert into webhook_deliveries (endpoint_id, event_id, due_at)
     select w.id, e.id, now() from events e
     join webhook_endpoints w on w.merchant_id = e.merchant_id and w.mode = e.mode
     where e.id = $1 and e.merchant_id = $2 and e.mode = $3
       and w.disabled_reason is null and ($4::text is null or w.id = $4)
       and (e.type <> 'webhook_endpoint.test' or e.endpoint_id = w.id)
     order by w.id
     on conflict (endpoint_id, event_id) do update
       set due_at = now(), attempts = 0, delivered_at = null`,
    [eventId, actor.merchantId, actor.mode, endpointId],
  )
  await notifyDue(db)
  return rowCount ?? 0
}

/**
 * Queues all events since a time that an endpoint has not received: deliveries that were given up, that wait for their
 * next attempt, or that were never created since the endpoint was disabled.
 * @returns the number of deliveries
 */
export async function recoverDeliveries(
  db: Queryable,
  actor: Actor,
  endpointId: string,
  since: Date,
): Promise<number> {
  const { rowCount } = await db.query(
    `insert into webhook_deliveries as d (endpoint_id, event_id, due_at)
     select w.id, e.id, now() from webhook_endpoints w
     join events e on e.merchant_id = w.merchant_id and e.mode = w.mode
     where w.id = $1 and w.merchant_id = $2 and w.mode = $3 and e.created_at >= $4
       and case e.type when 'webhook_endpoint.test' then e.endpoint_id = w.id
         else w.enabled_events is null or e.type = any (w.enabled_events) end
     order by e.id
     on conflict (endpoint_id, event_id) do update set due_at = now(), attempts = 0
       where d.delivered_at is null`,
    [endpointId, actor.merchantId, actor.mode, since],
  )
  await notifyDue(db)
  return rowCount ?? 0
}

/** Has every server process look for due deliveries. */
async function notifyDue(db: Queryable): Promise<void> {
  await db.query("select pg_notify('webhook_due', '')")
}

/** Lists the deliveries to an endpoint, newest events first. */
export async function listDeliveries(
  db: Queryable,
  endpointId: string,
  { limit, startingAfter }: { limit: number; startingAfter: string | null },
): Promise<Page<StoredDelivery>> {
  const { rows } = await db.query<StoredDelivery>(
    `select d.event_id as event, e.type as "eventType", d.attempts, d.last_attempt_at as "lastAttemptAt",
       d.due_at as "nextAttemptAt", d.response_status as "responseStatus", d.error,
       d.delivered_at is not null as delivered
     from webhook_deliveries d join events e on e.id = d.event_id
     where d.endpoint_id = $1 and ($2::text is null or d.event_id < $2)
     order by d.event_id desc limit $3`,
    [endpointId, startingAfter, limit + 1],
  )
  return toPage(rows, limit, (row) => row)
}

/** Whether any process has an attempt in progress at this endpoint. */
export async function hasClaims(db: Queryable, endpointId: string): Promise<boolean> {
  const { rows } = await db.query<{ claimed: boolean }>(
    `select exists (
       select 1 from webhook_deliveries where endpoint_id = $1 and claimed_until > now()
     ) as claimed`,
    [endpointId],
  )
  return rows[0]?.claimed ?? false
}

/**
 * Deletes queued deliveries to deleted endpoints. An event whose transaction overlapped the deletion may have queued
 * them, and no process claims them.
 */
export async function sweepDeliveries(db: Queryable): Promise<void> {
  await db.query(
    `delete from webhook_deliveries d where due_at is not null
       and not exists (select from webhook_endpoints e where e.id = d.endpoint_id)`,
  )
}
