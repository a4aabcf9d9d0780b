import type { EventType } from '@payment-intents/contract'
import type { Actor } from './act.ts'
import type { Db, Queryable } from './connect.ts'
import { numberEvents } from './numberEvents.ts'
import { type Page, toPage } from './page.ts'
import { eventColumns, type StoredEvent } from './storedEvent.ts'

export type EventFilter = {
  readonly limit: number
  /** The event to continue after; null: begin with those written at `since`, in Unix milliseconds. */
  readonly startingAfter: string | null
  readonly since: number
  readonly type: EventType | null
  readonly intentId: string | null
}

/** A merchant's events, oldest first. */
export async function listEvents(
  db: Db,
  who: Actor,
  filter: EventFilter,
): Promise<Page<StoredEvent> | 'unknown_cursor'> {
  await numberEvents(db, who)
  const { startingAfter, limit } = filter
  const after = startingAfter === null ? 0n : await findPosition(db.pool, who, startingAfter)
  if (after === null) return 'unknown_cursor'
  // Without a name, so that it is planned for the filters that are given.
  const { rows } = await db.pool.query<StoredEvent>(
    `select ${eventColumns} from events e
     where e.merchant_id = $1 and e.mode = $2 and e.position > $3
       and ($4::timestamptz is null or e.created_at >= $4)
       and ($5::text is null or e.type = $5)
       and ($6::text is null or e.intent_id = $6)
     order by e.position limit $7`,
    [
      who.merchantId,
      who.mode,
      after,
      startingAfter === null ? new Date(filter.since) : null,
      filter.type,
      filter.intentId,
      limit + 1,
    ],
  )
  return toPage(rows, limit, (event) => event)
}

export async function findEvent(
  db: Queryable,
  who: Actor,
  id: string,
): Promise<StoredEvent | null> {
  const { rows } = await db.query<StoredEvent>({
    name: 'find-event',
    text: `
      select ${eventColumns} from events e
      where e.id = $1 and e.merchant_id = $2 and e.mode = $3`,
    values: [id, who.merchantId, who.mode],
  })
  return rows[0] ?? null
}

/** Where an event stands in its merchant's order; null when it is none of theirs. */
async function findPosition(db: Queryable, who: Actor, id: string): Promise<bigint | null> {
  const { rows } = await db.query<{ position: bigint | null }>({
    name: 'find-event-position',
    text: 'select position from events where id = $1 and merchant_id = $2 and mode = $3',
    values: [id, who.merchantId, who.mode],
  })
  return rows[0]?.position ?? null
}
