import type { Records } from './store/records.ts'

/** Waits for a condition, the timeout by either clock, or the caller's disconnection. */
export function waitUntil(
  { clock, subscribe }: Records,
  { isMet, seconds }: { isMet: () => boolean; seconds: number },
  signal: AbortSignal,
): Promise<void> {
  const until = clock.now + seconds * 1000
  const isOver = () => signal.aborted || clock.now >= until || isMet()
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
