import type { Actor } from '@payment-intents/core'
import { type Db, transaction } from '../connection/connect.ts'

const batchSize = 5_000

/**
 * Assigns positions to a merchant's committed events, each greater than all earlier positions. So an event with a
 * greater position becomes readable later, and a reader that continues from a position misses nothing.
 *
 * Within an intent, positions follow `sequence`: an event is written after the previous event was committed, or in the
 * same transaction.
 */
export async function numberEvents(db: Db, actor: Actor): Promise<void> {
  while (await hasUnnumbered(db, actor)) {
    // A batch that is not full had all events.
    if ((await numberBatch(db, actor)) < batchSize) return
  }
}

async function hasUnnumbered(db: Db, actor: Actor): Promise<boolean> {
  const { rows } = await db.pool.query<{ unnumbered: boolean }>({
    name: 'has-unnumbered-events',
    text: `select exists (
      select 1 from events where merchant_id = $1 and mode = $2 and position is null
    ) as unnumbered`,
    values: [actor.merchantId, actor.mode],
  })
  return rows[0]?.unnumbered ?? false
}

/** @returns the number of events that got a position */
function numberBatch(db: Db, actor: Actor): Promise<number> {
  return transaction(db, async (client) => {
    // A merchant's events are numbered by one transaction at a time. The update below sees the rows that the previous
    // transaction committed, since a statement takes its snapshot when it starts.
    await client.query("select pg_advisory_xact_lock(hashtextextended('events ' || $1 || $2, 0))", [
      actor.merchantId,
      actor.mode,
    ])
    const { rowCount } = await client.query({
      name: 'number-events',
      text: `
        with unnumbered as (
          select id, written from events
          where merchant_id = $1 and mode = $2 and position is null
          order by written limit ${batchSize}
        ), last as (
          select coalesce((
            select position from events
            where merchant_id = $1 and mode = $2 and position is not null
            order by position desc limit 1
          ), 0) as position
        ), numbered as (
          select id, last.position + row_number() over (order by written) as position
          from unnumbered, last
        )
        update events e set position = numbered.position from numbered where e.id = numbered.id`,
      values: [actor.merchantId, actor.mode],
    })
    return rowCount ?? 0
  })
}
