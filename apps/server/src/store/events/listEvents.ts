import type { Actor, EventFilter, Page, StoredEvent } from '@payment-intents/core'
import type { Db, Queryable } from '../connection/connect.ts'
import { toPage } from '../lists/toPage.ts'
import { valuesOf } from '../lists/values.ts'
import { eventColumns } from './eventColumns.ts'
import { numberEvents } from './numberEvents.ts'

/** Lists a merchant's events by their positions. */
export async function listEvents(
  db: Db,
  actor: Actor,
  filter: EventFilter,
): Promise<Page<StoredEvent> | 'unknown_cursor'> {
  await numberEvents(db, actor)
  const range = await rangeOf(db.pool, actor, filter)
  if (range === 'unknown_cursor') return range
  const { limit } = filter
  const { values, value } = valuesOf()
  const list = filter.intentId === null ? ofMerchant : ofIntent
  // Without a name, so that PostgreSQL plans the statement for the current filters.
  const { rows } = await db.pool.query<StoredEvent>(
    `select ${eventColumns} from events e
     where ${list(actor, { ...filter, ...range }, value)}
     limit ${value(limit + 1)}`,
    values,
  )
  return toPage(rows, limit, (event) => event)
}

/** The exclusive bounds of a list's positions; null: no bound. */
type Range = { readonly after: bigint; readonly before: bigint | null }

async function rangeOf(
  db: Queryable,
  actor: Actor,
  { startingAfter, order, since }: EventFilter,
): Promise<Range | 'unknown_cursor'> {
  const cursor = startingAfter === null ? null : await findPosition(db, actor, startingAfter)
  if (startingAfter !== null && cursor === null) return 'unknown_cursor'
  if (order === 'asc' && cursor !== null) return { after: cursor, before: null }
  return { after: await lastBefore(db, actor, since), before: cursor }
}

type Listed = EventFilter & Range
type Value = (filterValue: unknown) => string

/** Compares whole rows, so that PostgreSQL uses the index for these filters: only that index has their order. */
function ofMerchant(actor: Actor, listed: Listed, value: Value): string {
  const { type, paymentLink, after, before, order } = listed
  const filters = Object.entries({
    'e.merchant_id': actor.merchantId,
    'e.mode': actor.mode,
    'e.payment_link': paymentLink,
    'e.type': type,
  }).filter(([, filterValue]) => filterValue !== null)
  const columns = filters.map(([column]) => column)
  const values = filters.map(([, filterValue]) => value(filterValue))
  const ordered = [...columns, 'e.position']
  const end =
    before === null
      ? `(${columns}) <= (${values})`
      : `(${ordered}) < (${[...values, value(before)]})`
  return `
    (${ordered}) > (${[...values, value(after)]}) and ${end} and e.position is not null
    ${paymentLink === null ? '' : 'and e.payment_link is not null'}
    order by ${ordered.map((column) => `${column} ${order}`)}`
}

/** Orders by `sequence`, for which there is an index: positions of an intent's events have the same order. */
function ofIntent(actor: Actor, listed: Listed, value: Value): string {
  const { intentId, paymentLink, type, after, before, order } = listed
  return `
    e.intent_id = ${value(intentId)} and e.merchant_id = ${value(actor.merchantId)}
    and e.mode = ${value(actor.mode)} and e.position > ${value(after)}
    ${before === null ? '' : `and e.position < ${value(before)}`}
    ${type === null ? '' : `and e.type = ${value(type)}`}
    ${paymentLink === null ? '' : `and e.payment_link = ${value(paymentLink)}`}
    order by e.sequence ${order}`
}

export async function findEvent(
  db: Queryable,
  actor: Actor,
  id: string,
): Promise<StoredEvent | null> {
  const { rows } = await db.query<StoredEvent>({
    name: 'find-event',
    text: `
      select ${eventColumns} from events e
      where e.id = $1 and e.merchant_id = $2 and e.mode = $3`,
    values: [id, actor.merchantId, actor.mode],
  })
  return rows[0] ?? null
}

/**
 * Finds the position of the last event from before a time; 0 without such an event. It bisects, since positions have
 * the order in which events were written.
 * @param time Unix milliseconds
 */
async function lastBefore(db: Queryable, actor: Actor, time: number): Promise<bigint> {
  const { rows } = await db.query<{ position: bigint }>({
    name: 'find-last-event-before',
    text: `
      -- Invariant: the event at \`low\` is from before the time, and all after \`high\` are not.
      with recursive half (low, high) as (
        select 0::bigint, coalesce((
          select position from events
          where merchant_id = $1 and mode = $2 and position is not null
          order by position desc limit 1
        ), 0)
        union all
        select
          case when e.created_at < $3 then e.position else half.low end,
          case when e.created_at < $3 then half.high else (half.low + half.high + 1) / 2 - 1 end
        from half, lateral (
          select position, created_at from events
          where merchant_id = $1 and mode = $2 and position >= (half.low + half.high + 1) / 2
          order by position limit 1
        ) e
        where half.low < half.high
      )
      select low as position from half where low >= high`,
    values: [actor.merchantId, actor.mode, new Date(time)],
  })
  return rows[0]?.position ?? 0n
}

/** Finds the position of an event among its merchant's; null: another merchant's event, or no event. */
async function findPosition(db: Queryable, actor: Actor, id: string): Promise<bigint | null> {
  const { rows } = await db.query<{ position: bigint | null }>({
    name: 'find-event-position',
    text: 'select position from events where id = $1 and merchant_id = $2 and mode = $3',
    values: [id, actor.merchantId, actor.mode],
  })
  return rows[0]?.position ?? null
}
