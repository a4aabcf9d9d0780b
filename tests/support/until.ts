import { setTimeout as sleep } from 'node:timers/promises'
import { patience } from './patience.ts'

/** Real timers, also while a test holds the clock. */
const now = performance.now.bind(performance)

/**
 * Waits until `check` returns without throwing, and returns what it returned.
 *
 * @param check usually an assertion; runs again and again, at shorter intervals first
 * @param signal ends the wait with its reason, such as the end of the process that is waited for
 * @throws Error with the last failure, when it still fails after `patience`
 */
export async function until<T>(check: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
  const deadline = now() + patience
  for (let pause = 5; ; pause = Math.min(pause * 1.5, 200)) {
    signal?.throwIfAborted()
    try {
      return await check()
    } catch (error) {
      signal?.throwIfAborted()
      if (now() > deadline) {
        const { message } = error as Error
        throw new Error(`Not so after ${patience / 1_000} s: ${message}`, { cause: error })
      }
    }
    await sleep(pause)
  }
}
