import type { DevelopmentChains } from '../../chain/development/developmentChains.ts'
import type { DatabaseClock } from './databaseClock.ts'

/** How far a chain's clock is ahead of the database's, in milliseconds. */
export type ChainClock = {
  /** 0 where that is nothing to speak of. */
  readonly aheadMs: number
  /** The least that it has been in the last minutes, as of a chain that catches up after a standstill. */
  readonly minimumMs: number
}

/** Unix milliseconds. */
export type ChainTime = {
  readonly now: number
  /** The chain's clock cannot show less. */
  readonly earliest: number
  /** How far it is ahead of this machine's clock, and of the database's; 0 where that is nothing to speak of. */
  readonly skewMs: number
  readonly databaseSkewMs: number
}

/** Blocks come every other second, and are requested as often. */
export const tolerableMs = 5_000

/**
 * Each chain's time. That of a development chain is its own, which test helpers move. Another's is the database's clock and
 * how far the chain is ahead of that: as this process has just seen it, else as the chain's follower has.
 *
 * @param observedClock null: this process has seen nothing of late
 */
export function timeOfChains(
  local: DevelopmentChains | null,
  database: Pick<DatabaseClock, 'now' | 'chain'>,
  observedClock: (chainId: number) => ObservedClock | null,
): (chainId: number) => ChainTime {
  return (chainId) => {
    const localTime = local?.find(chainId)?.now()
    if (localTime !== undefined)
      return { now: localTime, earliest: localTime, skewMs: 0, databaseSkewMs: 0 }
    const observed = observedClock(chainId)
    const stored = database.chain(chainId)
    const aheadMs = observed?.aheadMs ?? stored?.aheadMs ?? 0
    const minimumMs = Math.min(
      aheadMs,
      observed?.minimumMs ?? aheadMs,
      stored?.minimumMs ?? aheadMs,
    )
    const databaseNow = database.now()
    const now = databaseNow + Math.round(aheadMs)
    const skewMs = now - Date.now()
    return {
      now,
      earliest: databaseNow + Math.round(minimumMs),
      skewMs: Math.abs(skewMs) > tolerableMs ? skewMs : 0,
      databaseSkewMs: aheadMs,
    }
  }
}

/** A chain's clock as one process has seen it. `aheadMs` is null where its blocks may be from before a standstill. */
export type ObservedClock = Pick<ChainClock, 'minimumMs'> & { readonly aheadMs: number | null }
