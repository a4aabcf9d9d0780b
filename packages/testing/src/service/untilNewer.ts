import type { Records } from './store/records.ts'

/** Waits for a version above `after`, for the timeout by either clock, or for the caller to disconnect. */
export function untilNewer(
  { intents, clock, subscribe }: Records,
  { id, after, seconds }: { id: string; after: number; seconds: number },
  signal: AbortSignal,
): Promise<void> {
  const until = clock.now + seconds * 1000
  const isOver = () =>
    signal.aborted || clock.now >= until || (intents.get(id)?.version ?? 0) > after
  return new Promise((resolve) => {
    const look = () => {
      if (isOver()) leave()
    }
    const leave = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      unsubscribe()
      resolve()
    }
    const timer = setTimeout(leave, seconds * 1000)
    const unsubscribe = subscribe(look)
    signal.addEventListener('abort', leave)
    look()
  })
}
