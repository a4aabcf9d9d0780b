import { onTestFinished } from 'vitest'

export type HeldTimers = {
  /** Milliseconds of the timers that are held, in their order. */
  held(): number[]
  /** Fires the timers that are held, and moves `performance.now()` by the longest of them. */
  runOut(): void
}

/**
 * Holds long timers for the rest of a test: they fire when the test fires them. Shorter timers, such as HTTP's, run as
 * usual.
 *
 * @param from milliseconds from which on a timer is held
 * @param to longer timers run as usual
 */
export function holdTimers(from = 60_000, to = Number.POSITIVE_INFINITY): HeldTimers {
  const { setTimeout: start, clearTimeout: clear } = globalThis
  const now = performance.now.bind(performance)
  const held = new Map<unknown, { milliseconds: number; fire: () => void }>()
  let passed = 0
  const hold = (run: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) => {
    const timer = start(run, milliseconds, ...args)
    if (milliseconds >= from && milliseconds <= to) {
      clear(timer)
      held.set(timer, { milliseconds, fire: () => run(...args) })
    }
    return timer
  }
  const release = (timer: Parameters<typeof clear>[0]) => {
    held.delete(timer)
    clear(timer)
  }
  Object.assign(globalThis, { setTimeout: hold, clearTimeout: release })
  Object.assign(performance, { now: () => now() + passed })
  onTestFinished(() => {
    Object.assign(globalThis, { setTimeout: start, clearTimeout: clear })
    Object.assign(performance, { now })
  })
  return {
    held: () => [...held.values()].map(({ milliseconds }) => milliseconds),
    runOut() {
      const due = [...held.values()]
      held.clear()
      passed += Math.max(0, ...due.map(({ milliseconds }) => milliseconds))
      for (const { fire } of due) fire()
    },
  }
}
