/**
 * Replaces the page's timeout for messages of another language, which a slow machine may reach, by a wait for
 * `giveUpOnMessages`. Runs before all scripts of the page.
 */
export function holdMessages(): void {
  const messagesTimeoutMs = 3000
  const { setTimeout, clearTimeout } = window
  const pending = new Map<number, () => void>()
  let lastId = 0
  window.setTimeout = ((run: () => void, ms?: number, ...args: never[]) => {
    if (ms !== messagesTimeoutMs) return setTimeout(run, ms, ...args)
    lastId -= 1
    pending.set(lastId, run)
    return lastId
  }) as typeof setTimeout
  window.clearTimeout = ((id: number) => {
    if (!pending.delete(id)) clearTimeout(id)
  }) as typeof clearTimeout
  const giveUpOnMessages = () => {
    for (const run of [...pending.values()]) run()
  }
  Object.assign(window, { giveUpOnMessages })
}
