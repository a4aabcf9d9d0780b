/** Counts a request; answers the seconds to wait when it is one too many, else 0. */
export type RateLimit = (key: string) => number

/**
 * At most `max` requests a key in each window. Forgets everything as a window ends, so memory is
 * bounded by one window's keys.
 */
export function createRateLimit(options: {
  max: number
  windowMs: number
  now: () => number
}): RateLimit {
  let windowEnd = 0
  const counts = new Map<string, number>()
  return (key) => {
    const now = options.now()
    if (now >= windowEnd) {
      counts.clear()
      windowEnd = now + options.windowMs
    }
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count > options.max ? Math.ceil((windowEnd - now) / 1000) : 0
  }
}
