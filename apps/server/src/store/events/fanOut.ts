import { eventsWritten } from './announceEvents.ts'

/**
 * CTEs that insert events and queue them for each endpoint that subscribes to them. Both happen in a single statement,
 * so that every committed event is delivered. The statement must select {@link wakeSenders} or {@link wakeAll}.
 */
export function withFanOut(insertEvents: string): string {
  return `event as (${insertEvents} returning id, merchant_id, mode, type), sent as (
      insert into webhook_deliveries (endpoint_id, event_id, due_at)
      select w.id, event.id, now() from event
      join webhook_endpoints w on w.merchant_id = event.merchant_id and w.mode = event.mode
      where w.disabled_reason is null
        and (w.enabled_events is null or event.type = any (w.enabled_events))
      returning 1
    )`
}

/** Wakes the senders of webhooks if a delivery was queued. */
export const wakeSenders = `select pg_notify('webhook_due', '') from sent limit 1`

/** Wakes the senders, and announces the events to waiting requests. */
export const wakeAll = `
  (${wakeSenders}) union all
  select pg_notify('${eventsWritten}', merchant_id || ' ' || mode)
  from (select distinct merchant_id, mode from event) written`
