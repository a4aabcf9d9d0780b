/** Remembers whether something happened within the last second. */
export type RecentActivity = {
  record(): void
  isRecent(): boolean
}

const recentMs = 1_000

/** @param now milliseconds */
export function createRecentActivity(now = () => performance.now()): RecentActivity {
  let last = Number.NEGATIVE_INFINITY
  return {
    record() {
      last = now()
    },
    isRecent: () => now() - last < recentMs,
  }
}
