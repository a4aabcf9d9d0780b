import { createBatcher } from '../connection/batch.ts'
import type { Db, Queryable } from '../connection/connect.ts'

/** Runs work that needs a database connection, once a slot is free. */
type WithSlot = <Result>(work: () => Promise<Result>) => Promise<Result>

/** `time` is when a checkout first resolved the intent, in Unix milliseconds. */
type Opening = { readonly id: string; readonly time: number }

const maxBatchedOpenings = 100

/**
 * Records first resolves. Those that arrive together share a statement, which skips locked intents: a statement that
 * waits for several locks could deadlock with another. A locked intent is written separately.
 */
export function createMarkOpened(db: Db): (opening: Opening, withSlot: WithSlot) => Promise<void> {
  const writeTogether = createBatcher<Opening, 'done' | 'locked'>({
    limit: maxBatchedOpenings,
    run: (openings) => writeUnlocked(db.pool, openings),
  })
  return async (opening, withSlot) => {
    if ((await writeTogether(opening)) === 'done') return
    await withSlot(() => write(db.pool, opening))
  }
}

async function writeUnlocked(
  db: Queryable,
  openings: readonly Opening[],
): Promise<('done' | 'locked')[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'mark-opened',
    text: `
      with unopened as materialized (
        select p.id from payment_intents p where p.id = any($1) and p.opened_at is null
      ), free as materialized (
        select p.id from payment_intents p
        where p.id = any($1) and p.opened_at is null for update skip locked
      ), marked as (
        update payment_intents p set opened_at = to_timestamp(o.time / 1000)
        from unnest($1::text[], $2::float8[]) o (id, time)
        where p.id = o.id and p.id in (select id from free)
      )
      select id from unopened where id not in (select id from free)`,
    values: [openings.map(({ id }) => id), openings.map(({ time }) => time)],
  })
  const locked = new Set(rows.map(({ id }) => id))
  return openings.map(({ id }) => (locked.has(id) ? 'locked' : 'done'))
}

async function write(db: Queryable, { id, time }: Opening): Promise<void> {
  await db.query({
    name: 'mark-one-opened',
    text: `
      update payment_intents set opened_at = to_timestamp($2::float8 / 1000)
      where id = $1 and opened_at is null`,
    values: [id, time],
  })
}
