import type { DevelopmentChains } from '../../chain/development/developmentChains.ts'
import type { DatabaseClock } from './databaseClock.ts'

/** How far a chain's clock is ahead of the database's, in milliseconds. */
export type ChainClock = {
  /** 0 if negligible. */
  readonly aheadMs: number
  /** The minimum of the last minutes, for a chain that catches up after a standstill. */
  readonly minimumMs: number
}

/** Unix milliseconds. */
export type ChainTime = {
  readonly now: number
  /** The least that the chain's clock can show. */
  readonly earliest: number
  /** How far it is ahead of this machine's clock, and of the database's; 0 if negligible. */
  readonly skewMs: number
  readonly databaseSkewMs: number
}

/** Blocks come every other second, and are requested as often. */
export const tolerableMs = 5_000

/**
 * Each chain's time. A development chain has its own, which test helpers move. For another chain it is the database's
 * clock plus the chain's lead over it: as this process has just read it, else as the chain's follower has.
 * @param observedClock null: this process has read nothing lately
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

/** A chain's clock as this process has read it. `aheadMs` is null if its blocks may be from before a standstill. */
export type ObservedClock = Pick<ChainClock, 'minimumMs'> & { readonly aheadMs: number | null }
