/**
 * Has a statement that inserts events also put them on their way to every endpoint that wants them, and so in the same
 * transaction: an event that is committed is delivered, and one that is not was never heard of. One statement, since
 * every transition waits for it.
 */
export function andFanOut(insertEvents: string): string {
  return `
    with event as (${insertEvents} returning id, merchant_id, mode, type), sent as (
      insert into webhook_deliveries (endpoint_id, event_id, due_at)
      select w.id, event.id, now() from event
      join webhook_endpoints w on w.merchant_id = event.merchant_id and w.mode = event.mode
      where w.disabled_reason is null
        and (w.enabled_events is null or event.type = any (w.enabled_events))
      returning 1
    )
    select pg_notify('webhook_due', '') from sent limit 1`
}
