const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Waits between one try and the next. */
const waits = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/** A receiver may ask for a longer wait, up to this. */
const longestRetryAfter = 24 * hour

type Failure = {
  /** Tries so far, this one included. */
  attempts: number
  /** What the answer's `Retry-After` asks for. */
  retryAfterMs: number | null
  /** In [0, 1). */
  random: number
}

/**
 * When to try again after a failure.
 *
 * @returns milliseconds from now, up to a tenth later than planned so that what failed together does not come
 * back together; `null` when it is given up
 */
export function nextWait({ attempts, retryAfterMs, random }: Failure): number | null {
  const wait = waits[attempts - 1]
  if (wait === undefined) return null
  const asked = Math.min(retryAfterMs ?? 0, longestRetryAfter)
  return Math.round(Math.max(wait, asked) * (1 + random / 10))
}
