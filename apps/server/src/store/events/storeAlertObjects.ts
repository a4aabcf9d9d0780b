import { alertObjectOf } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'
import type { NewEvent } from './events.ts'

/**
 * Stores the objects that alerts will name because of these events. Most events cause no alert.
 * @param now Unix milliseconds
 */
export async function storeAlertObjects(
  db: Queryable,
  events: readonly Pick<NewEvent, 'merchantId' | 'mode' | 'type' | 'object'>[],
  now: number,
): Promise<void> {
  const objects = events.flatMap(({ merchantId, mode, ...event }) => {
    const object = alertObjectOf(event, now)
    return object ? [{ ...object, merchantId, mode }] : []
  })
  if (objects.length === 0) return
  // Each object once, and in the same order everywhere, so that processes cannot deadlock.
  const latest = new Map(objects.map((object) => [`${object.cause} ${object.objectId}`, object]))
  const rows = [...latest.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  await db.query({
    name: 'store-alert-objects',
    text: `
      insert into alert_objects (cause, object_id, merchant_id, mode, since, due_at)
      select cause, object_id, merchant_id, mode,
        to_timestamp(since / 1000.0), to_timestamp(due / 1000.0)
      from rows from (json_to_recordset($1) as (
        cause text, object_id text, merchant_id text, mode text, since bigint, due bigint
      )) with ordinality
      order by ordinality
      on conflict (cause, object_id) do update
        set since = excluded.since, due_at = excluded.due_at`,
    values: [
      JSON.stringify(
        rows.map(({ cause, objectId, merchantId, mode, since, dueAt }) => ({
          ...{ cause, object_id: objectId, merchant_id: merchantId, mode, since, due: dueAt },
        })),
      ),
    ],
  })
}
