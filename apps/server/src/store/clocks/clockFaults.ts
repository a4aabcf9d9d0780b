import type { ChainTime } from './timeOfChains.ts'

type Skews = Pick<ChainTime, 'skewMs' | 'databaseSkewMs'>

/** Describes the clocks that differ from a chain's, for `/readyz` and the log. */
export function clockFaults({ skewMs, databaseSkewMs }: Skews): string[] {
  return [...faultOf('this machine’s', skewMs), ...faultOf('the database’s', databaseSkewMs)]
}

/** @param chainAheadMs 0: the clock is correct */
function faultOf(owner: string, chainAheadMs: number): string[] {
  if (chainAheadMs === 0) return []
  const seconds = Math.round(Math.abs(chainAheadMs) / 1_000)
  const way = chainAheadMs > 0 ? 'behind' : 'ahead of'
  return [`${owner} clock is ${seconds} seconds ${way} the chain’s; have NTP set it`]
}

/**
 * Logs when a clock starts to differ from a chain's, and when it agrees again.
 * @returns a function that checks the clocks
 */
export function createClockWarnings(
  chainIds: readonly number[],
  clock: (chainId: number) => ChainTime,
  log: Record<'info' | 'warn', (fields: object, message: string) => void>,
): () => void {
  const logged = new Map(chainIds.map((chainId) => [chainId, '0,0']))
  return () => {
    for (const [chainId, before] of logged) {
      const time = clock(chainId)
      const skews = [time.skewMs, time.databaseSkewMs]
      const now = skews.map(Math.sign).join()
      if (now === before) continue
      logged.set(chainId, now)
      const [clock_skew_seconds, database_clock_skew_seconds] = skews.map((ms) => {
        return Math.round(ms / 1_000)
      })
      const fields = { chain_id: chainId, clock_skew_seconds, database_clock_skew_seconds }
      const faults = clockFaults(time)
      for (const fault of faults) log.warn(fields, fault)
      if (faults.length === 0) log.info(fields, 'the clocks agree with the chain’s again')
    }
  }
}
