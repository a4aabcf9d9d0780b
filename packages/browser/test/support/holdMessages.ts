/**
 * Replaces the page's timeout for messages of another language, which a slow machine may reach, by a wait for
 * `giveUpOnMessages`. Runs before all scripts of the page.
 */
export function holdMessages(): void {
  const messagesTimeoutMs = 3000
  const { setTimeout, clearTimeout } = window
  const held = new Map<number, () => void>()
  let lastHeld = 0
  window.setTimeout = ((run: () => void, ms?: number) => {
    if (ms !== messagesTimeoutMs) return setTimeout(run, ms)
    lastHeld -= 1
    held.set(lastHeld, run)
    return lastHeld
  }) as typeof setTimeout
  window.clearTimeout = ((id: number) => {
    if (!held.delete(id)) clearTimeout(id)
  }) as typeof clearTimeout
  const giveUpOnMessages = () => {
    for (const run of [...held.values()]) run()
  }
  Object.assign(window, { giveUpOnMessages })
}
