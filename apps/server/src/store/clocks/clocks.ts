import { type Lease, LeaseLost } from '../chains/cursors.ts'
import { onlyRow, type Queryable } from '../connection/connect.ts'
import type { ChainClock } from './timeOfChains.ts'

/**
 * Stores the clock of a chain, as its follower has read it.
 * @throws {LeaseLost}
 */
export async function writeClock(db: Queryable, lease: Lease, clock: ChainClock): Promise<void> {
  const { rowCount } = await db.query({
    name: 'write-clock',
    text: `
      update chain_cursors set clock_ahead_ms = $3, clock_least_ms = $4
      where chain_id = $1 and epoch = $2`,
    values: [lease.chainId, lease.epoch, Math.round(clock.aheadMs), Math.round(clock.minimumMs)],
  })
  if (rowCount === 0) throw new LeaseLost(lease)
}

/** Reads the database's clock, in Unix milliseconds, and how far each chain's clock is ahead of it. */
export async function readClocks(
  db: Queryable,
): Promise<{ now: number; chains: ReadonlyMap<number, ChainClock> }> {
  const { now, clocks } = onlyRow(
    await db.query<{ now: number; clocks: (ChainClock & { chainId: number })[] }>({
      name: 'read-clocks',
      text: `
        select extract(epoch from clock_timestamp())::float8 * 1000 as now, (
          select coalesce(json_agg(json_build_object('chainId', chain_id,
            'aheadMs', clock_ahead_ms, 'minimumMs', clock_least_ms)), '[]')
          from chain_cursors where clock_ahead_ms is not null
        ) as clocks`,
    }),
  )
  return { now, chains: new Map(clocks.map((clock) => [clock.chainId, clock])) }
}
