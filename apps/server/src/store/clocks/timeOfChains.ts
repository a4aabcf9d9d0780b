import type { DevelopmentChains } from '../../chain/development/developmentChains.ts'
import type { DatabaseClock } from './databaseClock.ts'

/** How far a chain's clock is ahead of the database's, in milliseconds. */
export type ChainClock = {
  /** 0 if negligible. */
  readonly aheadMs: number
  /** The minimum of the last minutes, which counts while a chain catches up after a standstill. */
  readonly minimumMs: number
}

/** Unix milliseconds. */
export type ChainTime = {
  readonly now: number
  /** The earliest time that the chain's clock may show. */
  readonly earliest: number
  /** How far the chain's clock is ahead of this machine's; 0 if negligible. */
  readonly skewMs: number
  /** How far the chain's clock is ahead of the database's; 0 if negligible. */
  readonly databaseSkewMs: number
}

/** Blocks come, and are requested, every two seconds: a smaller difference of clocks is negligible. */
export const tolerableMs = 5_000

/**
 * Tells the time of each chain. A development chain has a clock of its own, which test helpers move. The time of
 * another chain is the database's clock plus the chain's lead over it, which this process or else the chain's follower
 * has read.
 * @param observedClock returns null if this process has read nothing lately
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

/** A chain's clock, as this process has read it. `aheadMs` is null if the blocks may be from before a standstill. */
export type ObservedClock = Pick<ChainClock, 'minimumMs'> & { readonly aheadMs: number | null }
