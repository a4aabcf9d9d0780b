/**
 * One tab pays at a time: the first that asks has the lock until its signal aborts.
 *
 * @returns asks for the lock of that name; whether this tab has it
 */
export function createTabLock(signal: AbortSignal): (name: string) => Promise<boolean> {
  let mine = false
  return (name) =>
    new Promise((resolve) => {
      // Without a secure context there are no locks, and nothing to share them with.
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
