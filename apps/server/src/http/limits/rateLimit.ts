/** At most `max` requests in each window. */
export type Limit = { readonly max: number; readonly windowMs: number }

export type RateLimit = {
  /** Counts a request of a key. Returns the seconds to wait if it exceeds the limit, else 0. */
  take(key: string): number
  /** Returns the seconds to wait if one more request would exceed the limit, else 0. Counts nothing. */
  wait(key: string): number
}

/** Limits the requests of each key. All keys share a window and are forgotten when it ends, which bounds the memory. */
export function createRateLimit(options: Limit & { now: () => number }): RateLimit {
  let windowEnd = 0
  const counts = new Map<string, number>()
  const count = (key: string, more: 0 | 1) => {
    // Whole milliseconds: a rounding error of fractions could make the wait longer than the window.
    const now = Math.floor(options.now())
    if (now >= windowEnd) {
      counts.clear()
      windowEnd = now + options.windowMs
    }
    const counted = counts.get(key) ?? 0
    if (more > 0) counts.set(key, counted + more)
    return counted < options.max ? 0 : Math.ceil((windowEnd - now) / 1000)
  }
  return { take: (key) => count(key, 1), wait: (key) => count(key, 0) }
}
