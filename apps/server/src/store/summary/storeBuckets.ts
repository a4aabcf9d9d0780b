import type { Actor } from '@payment-intents/core'
import { type Db, onlyRow, type Queryable, transaction } from '../connection/connect.ts'
import { isStorable, withoutJit, withStored, withUnstored } from './summarySql.ts'

/** The starts of days and of hours. */
export type Buckets = { readonly days: readonly Date[]; readonly hours: readonly Date[] }

/** The maximum of rows that a step sums, since a writer of an old payment waits for the step. */
const maxRows = 40_000
const maxHours = 7 * 24
const maxDays = 60

/**
 * Stores the hours that are old enough and not stored yet, and then the days that they complete. Commits step by step:
 * if a request runs out of time, the next request continues.
 */
export async function storeBuckets(db: Db, actor: Actor, buckets: Buckets): Promise<void> {
  const { days, hours } = await findUnstored(db.pool, actor, buckets)
  // Size each step by the rows per hour of the previous step.
  for (let at = 0, size = 1; at < hours.length; ) {
    const step = { days: [], hours: hours.slice(at, at + size) }
    const rows = await store(db, insertHours, actor, step)
    if (rows === null) return
    at += size
    const fitting = Math.floor((step.hours.length * maxRows) / Math.max(rows, 1))
    size = Math.min(Math.max(fitting, 1), maxHours)
  }
  for (let at = 0; at < days.length; at += maxDays) {
    const step = { days: days.slice(at, at + maxDays), hours: [] }
    if ((await store(db, insertDays, actor, step)) === null) return
  }
}

async function findUnstored(db: Queryable, actor: Actor, buckets: Buckets): Promise<Buckets> {
  const unstored = await db.query<{ days: Date[]; hours: Date[] }>({
    text: `
      with ${withStored}, first as (
        -- The first payment bounds the hours, so that nobody can fill the table with empty hours.
        select created_at as time from payment_intents
        where merchant_id = $1 and mode = $2 order by id limit 1
      )
      select
        array(
          select start from missing, first
          where ${isStorable('start', 1)} and start > time - interval '48 hours' order by start
        ) as hours,
        array(
          select day from unnest($3::timestamptz[]) day, first
          where day not in (select start from stored_days)
            and ${isStorable('day', 24)} and day > time - interval '24 hours'
        ) as days`,
    values: [actor.merchantId, actor.mode, buckets.days, buckets.hours],
  })
  return onlyRow(unstored)
}

/**
 * Stores spans while nobody changes their payments. Does not wait for a change: such waits could form a circle.
 * @returns the number of rows that they sum; null: somebody is changing a payment
 */
function store(
  db: Db,
  text: string,
  { merchantId, mode }: Actor,
  { days, hours }: Buckets,
): Promise<number | null> {
  return transaction(db, async (client) => {
    await client.query(withoutJit)
    const { isFree } = onlyRow(
      await client.query<{ isFree: boolean }>({
        name: 'lock-summary',
        text: `
          with lock as materialized (
            select pg_advisory_xact_lock(hashtextextended('summary buckets ' || $1 || $2, 0))
          )
          select pg_try_advisory_xact_lock(hashtextextended('summary ' || $1 || $2, 0)) as "isFree"
          from lock`,
        values: [merchantId, mode],
      }),
    )
    // Sum in a later statement: it sees all rows that were committed before the lock.
    if (!isFree) return null
    const values = [merchantId, mode, days, hours]
    return onlyRow(await client.query<{ rows: number }>({ text, values })).rows
  })
}

const insertHours = `
  with ${withStored}, ${withUnstored}, hourly as materialized (
    select missing.start, chain, bound_by, sum(units) as units, sum(count)::integer as count,
      sum(opened)::integer as opened, sum(paid)::integer as paid
    from unstored join missing
      on missing.start = date_bin('1 hour', time, (select min(start) from missing))
    group by 1, 2, 3
  ), amounts as (
    insert into summary_amounts (merchant_id, mode, hours, start, chain, bound_by, units, count)
    select $1, $2, 1, start, chain, bound_by, units, count from hourly where chain is not null
  ), buckets as (
    insert into summary_buckets (merchant_id, mode, hours, start, created, opened, paid)
    select $1, $2, 1, start, coalesce(count, 0), coalesce(opened, 0), coalesce(paid, 0)
    from missing left join (select * from hourly where chain is null) created using (start)
  )
  select coalesce(sum(count), 0)::float8 as rows from hourly`

/** Stores the days whose hours are all stored. */
const insertDays = `
  with ${withStored}, days as (
    insert into summary_buckets (merchant_id, mode, hours, start, created, opened, paid)
    select $1, $2, 24, day, sum(created), sum(opened), sum(paid)
    from unnest($3::timestamptz[]) day cross join lateral (
      select created, opened, paid from stored_hours
      where start >= day and start < day + interval '24 hours'
    ) hour
    where day not in (select start from stored_days)
    group by day having count(*) = 24
    returning start
  ), amounts as (
    insert into summary_amounts (merchant_id, mode, hours, start, chain, bound_by, units, count)
    select $1, $2, 24, day.start, chain, bound_by, sum(units), sum(count)
    from days day
    join stored_hours hour
      on hour.start >= day.start and hour.start < day.start + interval '24 hours'
    cross join lateral (
      select chain, bound_by, units, count from summary_amounts
      where merchant_id = $1 and mode = $2 and hours = 1 and start = hour.start
      offset 0
    ) amount
    group by day.start, chain, bound_by
  )
  select count(*)::float8 as rows from days`
