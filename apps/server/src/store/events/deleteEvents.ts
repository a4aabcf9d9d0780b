import type { Actor } from '@payment-intents/core'
import type { Db, Queryable } from '../connection/connect.ts'
import { firstId } from '../lists/ids.ts'
import { numberEvents } from './numberEvents.ts'

export type OldEvent = Actor & { readonly id: string; readonly hasPosition: boolean }

/**
 * Finds a step of the events from before a time.
 * @param range.before Unix milliseconds
 * @param range.after the end of the previous step, at first empty
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
 * Deletes events from before a time with their deliveries. These stay:
 *
 * - an event that is still being delivered;
 * - a merchant's newest event from before that time: a reader who has read nothing newer continues after it;
 * - the newest event about an existing webhook endpoint, from which its next event gets its number.
 * @param before Unix milliseconds
 */
export async function deleteEvents(
  db: Db,
  before: number,
  events: readonly OldEvent[],
): Promise<void> {
  // Events get positions when they are listed, and only a position tells which event is the next.
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
