import type { AlertCause } from '@payment-intents/contract'
import { type Actor, alertWindows } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'

/** An alert covers all objects of a merchant and mode that have the same cause. */
export type AlertGroup = Actor & { readonly cause: AlertCause }

/**
 * Stores endpoints at which every delivery has failed for an hour, once for each outage. The database's clock dates
 * failures.
 * @param now the time at which they become due for an alert, in Unix milliseconds
 */
export async function storeFailingEndpoints(db: Queryable, now: number): Promise<void> {
  await db.query({
    name: 'store-failing-endpoints',
    text: `
      with failing as (
        select id from webhook_endpoints
        where disabled_reason is null and alerted_since is distinct from failing_since
          and failing_since <= now() - make_interval(secs => ${alertWindows.endpointFailing / 1_000})
        order by id for update skip locked
      ), marked as (
        update webhook_endpoints e set alerted_since = failing_since
        from failing where e.id = failing.id
        returning e.id, e.merchant_id, e.mode, e.failing_since
      )
      insert into alert_objects (cause, object_id, merchant_id, mode, since, due_at)
      select 'webhook_endpoint_failing', id, merchant_id, mode, failing_since, $1 from marked
      on conflict (cause, object_id) do update set since = excluded.since`,
    values: [new Date(now)],
  })
}

/** The maximum of due objects that a run reads. It begins with those due for longest. */
const maxObjects = 1_000

/** Finds the alerts that are due. @param now Unix milliseconds */
export async function findDueAlerts(db: Queryable, now: number): Promise<AlertGroup[]> {
  const { rows } = await db.query<AlertGroup>({
    name: 'find-due-alerts',
    text: `
      select distinct merchant_id as "merchantId", mode, cause from (
        select merchant_id, mode, cause from alert_objects
        where due_at <= $1 order by due_at limit ${maxObjects}
      ) due`,
    values: [new Date(now)],
  })
  return rows
}

/** Postpones the due objects of an alert. Times are in Unix milliseconds. */
export async function putOffAlert(
  db: Queryable,
  { merchantId, mode, cause }: AlertGroup,
  { now, until }: { readonly now: number; readonly until: number },
): Promise<void> {
  await db.query({
    name: 'put-off-alert',
    text: `
      update alert_objects set due_at = $5
      where merchant_id = $1 and mode = $2 and cause = $3 and due_at <= $4`,
    values: [merchantId, mode, cause, new Date(now), new Date(until)],
  })
}

/**
 * Deletes and returns the due objects of an alert, oldest first.
 * @param now Unix milliseconds
 */
export async function takeAlertObjects(
  db: Queryable,
  { merchantId, mode, cause }: AlertGroup,
  now: number,
): Promise<{ readonly id: string; readonly since: number }[]> {
  const { rows } = await db.query<{ id: string; since: number }>({
    name: 'take-alert-objects',
    text: `
      with deleted as (
        delete from alert_objects
        where merchant_id = $1 and mode = $2 and cause = $3 and due_at <= $4
        returning object_id, since
      )
      select object_id as id, floor(extract(epoch from since) * 1000)::float8 as since
      from deleted order by deleted.since, object_id`,
    values: [merchantId, mode, cause, new Date(now)],
  })
  return rows
}
