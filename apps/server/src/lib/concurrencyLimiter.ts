import { type HttpError, internalError, rateLimited } from '@payment-intents/core'
import type { DatabaseWatch } from '../store/connection/watchDatabase.ts'

/**
 * Runs work, of which a limited number runs at once for each key.
 * @throws {HttpError} `rate_limited` if the work waits too long or too many wait, `internal_error` during an outage
 */
export type ConcurrencyLimiter = <Result>(
  key: string,
  work: () => Promise<Result>,
) => Promise<Result>

type Queue = { running: number; readonly waiting: Set<Waiter> }
type Waiter = { enter(): void; refuse(error: HttpError): void }

/**
 * Limits the concurrent work of each key, such as a merchant. Further work waits in memory for a limited time, in order
 * and without a database connection. While the database is down, nothing waits.
 * @param options.limit the maximum that runs at once; a function: the maximum now
 * @param options.waiting the maximum that waits at once
 */
export function createConcurrencyLimiter(options: {
  limit: number | (() => number)
  waiting: number
  waitMs: number
  database: Pick<DatabaseWatch, 'isAway' | 'onAway'>
}): ConcurrencyLimiter {
  const { limit, waiting, waitMs, database } = options
  const maxRunning = typeof limit === 'function' ? limit : () => limit
  const queues = new Map<string, Queue>()
  database.onAway(() => {
    for (const queue of queues.values()) {
      for (const waiter of queue.waiting) waiter.refuse(internalError())
      queue.waiting.clear()
    }
  })

  async function enter(queue: Queue): Promise<void> {
    if (queue.running < maxRunning() && queue.waiting.size === 0) {
      queue.running += 1
      return
    }
    if (database.isAway()) throw internalError()
    if (queue.waiting.size >= waiting) throw rateLimited(1)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { enter: resolve, refuse: reject }
    queue.waiting.add(waiter)
    const late = setTimeout(() => {
      queue.waiting.delete(waiter)
      reject(rateLimited(1))
    }, waitMs)
    await promise.finally(() => clearTimeout(late))
  }

  function leave(key: string, queue: Queue): void {
    queue.running -= 1
    // The first to wait take the free slots at once, so that no later work takes them.
    for (const next of queue.waiting) {
      if (queue.running >= maxRunning()) break
      queue.waiting.delete(next)
      queue.running += 1
      next.enter()
    }
    if (queue.running === 0) queues.delete(key)
  }

  return async (key, work) => {
    const queue = queues.get(key) ?? { running: 0, waiting: new Set() }
    queues.set(key, queue)
    await enter(queue)
    try {
      return await work()
    } finally {
      leave(key, queue)
    }
  }
}
