/**
 * Lets one tab pay at a time: the first holds the lock until its signal aborts.
 *
 * @returns a function that requests a lock and resolves to whether this tab holds it
 */
export function createTabLock(signal: AbortSignal): (name: string) => Promise<boolean> {
  let mine = false
  return (name) =>
    new Promise((resolve) => {
      // Web Locks need a secure context.
      if (mine || !navigator.locks) return resolve(true)
      navigator.locks
        .request(name, { ifAvailable: true }, (lock) => {
          mine ||= lock !== null && !signal.aborted
          resolve(mine)
          if (mine) return new Promise((end) => signal.addEventListener('abort', end))
        })
        .catch(() => resolve(true))
    })
}
