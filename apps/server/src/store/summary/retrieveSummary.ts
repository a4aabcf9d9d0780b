import type { Actor, StoredSummary, SummaryPeriod, Sums } from '@payment-intents/core'
import { writeFaultOf } from '../../lib/classifyDbError.ts'
import { type Db, type Queryable, transaction } from '../connection/connect.ts'
import { type Buckets, storeBuckets } from './storeBuckets.ts'
import { withoutJit, withStored, withUnstored } from './summarySql.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs

/**
 * Sums a period in a single snapshot of the database: its stored days and hours, and the intents and refunds of all
 * other hours. Before, it stores some hours, so that a summary takes no longer for a million payments than for a
 * thousand.
 */
export async function retrieveSummary(
  db: Db,
  actor: Actor,
  period: SummaryPeriod,
  newest: number,
): Promise<StoredSummary> {
  const buckets = bucketsOf(period)
  try {
    await storeBuckets(db, actor, buckets)
  } catch (error) {
    // A database that accepts no writes can still be read.
    if (writeFaultOf(error) === null) throw error
  }
  return transaction(db, async (client) => {
    await client.query(withoutJit)
    return addUp(client, actor, { ...period, ...buckets }, newest)
  })
}

/** The whole days of each part, and the hours that remain. */
function bucketsOf({ to, starts }: SummaryPeriod): Buckets {
  const days: Date[] = []
  const hours: Date[] = []
  for (const [index, start] of starts.entries()) {
    const end = starts[index + 1] ?? to
    let at = start
    for (; at + dayMs <= end; at += dayMs) days.push(new Date(at))
    for (; at < end; at += hourMs) hours.push(new Date(at))
  }
  return { days, hours }
}

/** Sums of a part of the period, or of a chain and the rule that matched its payments. The other fields are null. */
type Row = Sums & {
  readonly part: number | null
  readonly chain: StoredSummary['groups'][number]['chain'] | null
  readonly boundBy: StoredSummary['groups'][number]['boundBy'] | ''
  readonly timesToPaid: number[] | null
}

async function addUp(
  db: Queryable,
  { merchantId, mode }: Actor,
  { from, to, starts, days, hours }: SummaryPeriod & Buckets,
  newest: number,
): Promise<StoredSummary> {
  // Not prepared, so that it is planned for the current tables. Planning takes less time than the statement.
  const { rows } = await db.query<Row>({
    text: statement,
    values: [
      ...[merchantId, mode, days, hours],
      ...[starts.map((start) => new Date(start)), new Date(from), new Date(to), newest],
    ],
  })
  const summary = {
    parts: new Map<number, Sums>(),
    groups: [] as StoredSummary['groups'][number][],
    timesToPaid: [] as readonly number[],
  }
  for (const { part, chain, boundBy, timesToPaid, ...sums } of rows) {
    if (part !== null) summary.parts.set(part, sums)
    else if (chain !== null) summary.groups.push({ ...sums, chain, boundBy: boundBy || null })
    else if (timesToPaid !== null) summary.timesToPaid = timesToPaid
  }
  return summary
}

const storedOf = (hours: 1 | 24, stored: string) => `
  union all
  select start, null, null, null, created, opened, paid from ${stored}
  union all
  select start, chain, bound_by, units, count, 0, 0 from summary_amounts
  where merchant_id = $1 and mode = $2 and hours = ${hours}
    and start = any(array(select start from ${stored}))`

const statement = `
  with ${withStored}, ${withUnstored}, summed as (
    select width_bucket(time, $5::timestamptz[]) - 1 as part, chain, bound_by,
      coalesce(sum(units) filter (where bound_by <> ''), 0) as received,
      coalesce(sum(units) filter (where bound_by = ''), 0) as refunded,
      coalesce(sum(count) filter (where bound_by <> ''), 0)::float8 as payments,
      coalesce(sum(count) filter (where bound_by = ''), 0)::float8 as refunds,
      coalesce(sum(count) filter (where chain is null), 0)::float8 as created,
      coalesce(sum(opened), 0)::float8 as opened, coalesce(sum(paid), 0)::float8 as paid
    from (
      select * from unstored
      ${storedOf(24, 'stored_days')}
      ${storedOf(1, 'stored_hours')}
    ) facts
    group by grouping sets ((part), (chain, bound_by))
  )
  select part, chain, bound_by as "boundBy", received, refunded, payments, refunds, created, opened,
    paid, null::float8[] as "timesToPaid"
  from summed where part is not null or chain is not null
  union all
  select null, null, null, 0, 0, 0, 0, 0, 0, 0, array(
    select floor(extract(epoch from succeeded_at - created_at) * 1000)::float8
    from payment_intents
    where merchant_id = $1 and mode = $2 and succeeded_at is not null
      and succeeded_at >= $6 and succeeded_at < $7
    order by succeeded_at desc, id desc limit $8
  )`
