import type { Actor } from '@payment-intents/core'
import type { Db, Queryable } from '../connection/connect.ts'
import { firstId } from '../lists/ids.ts'
import { numberEvents } from './numberEvents.ts'

export type OldEvent = Actor & { readonly id: string; readonly hasPosition: boolean }

/**
 * A step of the events from before a time.
 * @param before Unix milliseconds
 * @param after the end of the previous step; '': start
 */
export async function findOldEvents(
  db: Queryable,
  { before, after, limit }: { before: number; after: string; limit: number },
): Promise<OldEvent[]> {
  const { rows } = await db.query<OldEvent>({
    name: 'find-old-events',
    text: `
      select id, merchant_id as "merchantId", mode, position is not null as "hasPosition"
      from events where id > $1 and id < $2 order by id limit $3`,
    values: [after, firstId('evt', before), limit],
  })
  return rows
}

/**
 * Deletes events from before a time, each with its deliveries. These stay:
 *
 * - an event that is still being delivered;
 * - a merchant's newest event: a reader who has read everything continues after it;
 * - the newest event about an existing webhook endpoint, which numbers its next event.
 * @param before Unix milliseconds
 */
export async function deleteEvents(
  db: Db,
  before: number,
  events: readonly OldEvent[],
): Promise<void> {
  // These merchants' events have not been listed since: only the position tells which events come next.
  const unnumbered = events.filter(({ hasPosition }) => !hasPosition)
  const merchants = Map.groupBy(unnumbered, ({ merchantId, mode }) => `${merchantId} ${mode}`)
  for (const [actor] of merchants.values()) if (actor) await numberEvents(db, actor)
  await db.pool.query({
    name: 'delete-events',
    text: `
      with old as (
        select e.id, e.ctid from events e
        where e.id = any($1)
          and (
            select next.created_at from events next
            where next.merchant_id = e.merchant_id and next.mode = e.mode
              and next.position > e.position
            order by next.position limit 1
          ) < $2
          and not exists (
            select from webhook_deliveries d where d.event_id = e.id and d.due_at is not null
          )
          and not exists (
            select from webhook_endpoints w where w.id = e.endpoint_id and not exists (
              select from events next where next.endpoint_id = w.id and next.sequence > e.sequence
            )
          )
      ), delivered as (
        delete from webhook_deliveries d using old where d.event_id = old.id
      )
      delete from events where ctid = any(array(select ctid from old))`,
    values: [events.map(({ id }) => id), new Date(before)],
  })
}
