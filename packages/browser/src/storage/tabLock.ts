/** Takes the lock that a single tab holds until the signal aborts, and resolves to whether it was free. */
export function takeTabLock(name: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    // Web Locks need a secure context.
    if (!navigator.locks) return resolve(true)
    navigator.locks
      .request(name, { ifAvailable: true }, (lock) => {
        const acquired = lock !== null && !signal.aborted
        resolve(acquired)
        if (acquired) return new Promise((end) => signal.addEventListener('abort', end))
      })
      .catch(() => resolve(true))
  })
}
