/**
 * A page that gives up on the words of another language shows English: after so many milliseconds, which a slow machine may
 * need. Runs in the page before any script of it; from then on it waits until `giveUpOnWords` is called.
 */
export function holdWords(): void {
  const wordsPatienceMs = 3000
  const { setTimeout, clearTimeout } = window
  const held = new Map<number, () => void>()
  let lastHeld = 0
  window.setTimeout = ((run: () => void, ms?: number) => {
    if (ms !== wordsPatienceMs) return setTimeout(run, ms)
    lastHeld -= 1
    held.set(lastHeld, run)
    return lastHeld
  }) as typeof setTimeout
  window.clearTimeout = ((id: number) => {
    if (!held.delete(id)) clearTimeout(id)
  }) as typeof clearTimeout
  const giveUpOnWords = () => {
    for (const run of [...held.values()]) run()
  }
  Object.assign(window, { giveUpOnWords })
}
