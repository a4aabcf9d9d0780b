// Parameters: $1 merchant, $2 mode, $3 starts of days, $4 starts of hours.

/** The planner overestimates the number of gaps, and compiling would take longer than the statement. */
export const withoutJit = 'set local jit = off'

/**
 * SQL that tells whether a span may be stored: it ended at least 3 hours ago. Triggers delete a stored span when a
 * payment of it changes, but only a payment that is older than 2 hours.
 */
export const isStorable = (start: string, hours: 1 | 24) =>
  `${start} <= now() - interval '${3 + hours} hours'`

const storedBuckets = (hours: 1 | 24, starts: string) => `
  select start, created, opened, paid from summary_buckets
  where merchant_id = $1 and mode = $2 and hours = ${hours} and start = any(${starts})
    and ${isStorable('start', hours)}`

/**
 * CTEs. `stored_days` and `stored_hours` are the stored spans of the parameters, `missing` the hours without a span.
 */
export const withStored = `
  stored_days as materialized (${storedBuckets(24, '$3')}), needed as materialized (
    select day + hour * interval '1 hour' as start
    from unnest($3::timestamptz[]) day cross join generate_series(0, 23) hour
    where day not in (select start from stored_days)
    union all
    select unnest($4::timestamptz[])
  ),
  stored_hours as materialized (${storedBuckets(1, 'array(select start from needed)')}),
  missing as materialized (
    select start from needed where start not in (select start from stored_hours)
  )`

const inGap = (column: string, bound = (time: string) => time) => `
  merchant_id = $1 and mode = $2 and ${column} >= ${bound('since')} and ${column} < ${bound('until')}`

/**
 * CTEs. `unstored` has a row for each intent and refund of the missing hours. `bound_by` is '' for refunds, and `chain`
 * is null for intents by creation time. Consecutive hours are a single range of each index.
 */
export const withUnstored = `
  gaps as materialized (
    select min(start) as since, max(start) + interval '1 hour' as until
    from (
      select start, start - row_number() over (order by start) * interval '1 hour' as island from missing
    ) hours
    group by island
  ), unstored as (
    select part.* from gaps cross join lateral (
      select created_at as time, null::text as chain, null::text as bound_by, null::numeric as units,
        1 as count, (opened_at is not null)::integer as opened,
        (succeeded_at is not null)::integer as paid
      from payment_intents where ${inGap('id', (time) => `first_id('pi', ${time})`)}
      union all
      select start, null, null, null, created, opened, 0
      from summary_deleted where ${inGap('start')}
      union all
      select succeeded_at, chain, bound_by, amount_received_units, 1, 0, 0
      from payment_intents where succeeded_at is not null and ${inGap('succeeded_at')}
      union all
      select succeeded_at, chain, '', amount_units, 1, 0, 0
      from refunds where succeeded_at is not null and ${inGap('succeeded_at')}
      offset 0
    ) part
  )`
