import type { Db } from '../connection/connect.ts'
import { readClocks } from './clocks.ts'
import type { ChainClock } from './timeOfChains.ts'

/** The clock that all servers of a database share. */
export type DatabaseClock = {
  /** Unix milliseconds. */
  now(): number
  /** A chain's clock, as its follower has read it; undefined: it has not been read yet. */
  chain(chainId: number): ChainClock | undefined
  /** Calls back after each read. */
  onRead(listener: () => void): void
  stop(): Promise<void>
}

const readEveryMs = 2_000

/**
 * Reads the database's clock now and every two seconds. In between, the time advances by this process's monotonic
 * clock, so that a change of this machine's wall clock has no effect.
 */
export async function openDatabaseClock(
  { pool }: Db,
  onError: (error: unknown) => void,
): Promise<DatabaseClock> {
  let aheadMs = Number.NaN
  let chains: ReadonlyMap<number, ChainClock> = new Map()
  const listeners: (() => void)[] = []
  let refreshing: Promise<void> | null = null

  async function refresh(): Promise<void> {
    const before = monotonicMs()
    const clocks = await readClocks(pool)
    const [minimum, maximum] = [clocks.now - monotonicMs(), clocks.now - before]
    // Move the clock no further than this response proves, so that it does not swing with response times.
    aheadMs = Number.isNaN(aheadMs) ? maximum : Math.max(minimum, Math.min(maximum, aheadMs))
    chains = clocks.chains
    for (const listener of listeners) listener()
  }

  await refresh()
  const timer = setInterval(() => {
    refreshing ??= refresh()
      .catch(onError)
      .finally(() => {
        refreshing = null
      })
  }, readEveryMs)
  return {
    now: () => Math.round(monotonicMs() + aheadMs),
    chain: (chainId) => chains.get(chainId),
    onRead: (listener) => void listeners.push(listener),
    async stop() {
      clearInterval(timer)
      await refreshing
    },
  }
}

/** Milliseconds by a clock that nobody sets. */
export function monotonicMs(): number {
  return performance.timeOrigin + performance.now()
}
