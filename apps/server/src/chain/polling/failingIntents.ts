import type { FailedIntents } from '../../store/payment-intents/settling.ts'
import { nextRetry } from './quarantine.ts'

/**
 * Intents that could not be read or changed. Polls leave each of them out until it is tried again, after half of the time
 * for which it has failed. In memory: the next process finds them by itself.
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

/** After a poll at the time `now` is recorded: those it left out, and those that failed. */
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
