import { setTimeout as sleep } from 'node:timers/promises'
import { classifyDbError } from '../lib/classifyDbError.ts'
import type { Metrics } from '../lib/metrics/metrics.ts'
import { withdrawAuthorizations } from '../store/authorizations/withdrawAuthorizations.ts'
import type { RelayContext } from './relayContext.ts'

const everyMs = 1_000

/**
 * Withdraws authorizations that no relayer broadcasts in time, until the signal aborts. Runs even while relayers fail,
 * are stopped or have no key.
 */
export async function withdrawUnbroadcast({
  db,
  database,
  log,
  metrics,
  signal,
}: Pick<RelayContext, 'db' | 'database' | 'log'> & {
  readonly metrics: Pick<Metrics, 'withdrawn'>
  readonly signal: AbortSignal
}): Promise<void> {
  while (!signal.aborted) {
    try {
      for (const [chainId, count] of await withdrawAuthorizations(db)) {
        metrics.withdrawn(chainId, count)
        const fields = { chain_id: chainId, count }
        log.warn(fields, 'authorizations were not broadcast in time, and are withdrawn')
      }
    } catch (error) {
      // The database watch logs an outage once.
      if (classifyDbError(error) !== null) database.report(error)
      else log.warn({ err: error }, 'withdrawing authorizations failed')
    }
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {})
  }
}
