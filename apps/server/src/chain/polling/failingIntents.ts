import type { FailedIntents } from '../../store/payment-intents/settling.ts'
import { nextRetry } from './quarantine.ts'

/**
 * Intents that could not be read or changed. Polls skip each of them until its retry, after half of the time for which it has failed. They
 * are in memory only: the next process finds them again.
 */
export type FailingIntents = ReadonlyMap<
  string,
  { readonly failingSince: number; readonly retryAt: number }
>

const longestRetryMs = 5 * 60 * 1_000

/** The intents that this poll skips. */
export function skippedIntents(failing: FailingIntents, now: number): ReadonlySet<string> {
  return new Set([...failing].flatMap(([id, { retryAt }]) => (retryAt > now ? [id] : [])))
}

/** The failing intents after a poll at the time `now`: those that it skipped, and those that failed. */
export function afterFailures(
  failing: FailingIntents,
  failed: FailedIntents,
  now: number,
): FailingIntents {
  const omitted = skippedIntents(failing, now)
  const skipped = [...failing].filter(([id]) => omitted.has(id) && !failed.has(id))
  const retried = [...failed.keys()].map((id) => {
    const failingSince = failing.get(id)?.failingSince ?? now
    return [id, { failingSince, retryAt: nextRetry(failingSince, now, longestRetryMs) }] as const
  })
  return new Map([...skipped, ...retried])
}
