import type { DatabaseWatch } from '../db/watchDatabase.ts'
import { type HttpError, internalError } from './errors.ts'
import { rateLimited } from './rateLimit.ts'

/** Does work of which only so much is done at once for one key. */
export type Gate = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>

type Lane = { running: number; readonly waiting: Set<Waiter> }
type Waiter = { enter(): void; refuse(error: HttpError): void }

/**
 * Bounds what the work of one key, such as a merchant, holds at once. What is beyond waits in memory, without a
 * connection to the database, in the order in which it came: for a while, and not while the database is away.
 *
 * @param options.most under way at once, for a key
 * @param options.waiting at once, for a key
 */
export function createGate(options: {
  most: number
  waiting: number
  waitMs: number
  database: Pick<DatabaseWatch, 'isAway' | 'onAway'>
}): Gate {
  const { most, waiting, waitMs, database } = options
  const lanes = new Map<string, Lane>()
  database.onAway(() => {
    for (const lane of lanes.values()) {
      for (const waiter of lane.waiting) waiter.refuse(internalError())
      lane.waiting.clear()
    }
  })

  async function enter(lane: Lane): Promise<void> {
    if (lane.running < most) {
      lane.running += 1
      return
    }
    if (database.isAway()) throw internalError()
    if (lane.waiting.size >= waiting) throw rateLimited(1)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { enter: resolve, refuse: reject }
    lane.waiting.add(waiter)
    const late = setTimeout(() => {
      lane.waiting.delete(waiter)
      reject(rateLimited(1))
    }, waitMs)
    await promise.finally(() => clearTimeout(late))
  }

  function leave(key: string, lane: Lane): void {
    const [next] = lane.waiting
    if (next) {
      // It takes the place, so that nobody comes in between.
      lane.waiting.delete(next)
      next.enter()
      return
    }
    lane.running -= 1
    if (lane.running === 0) lanes.delete(key)
  }

  return async (key, work) => {
    const lane = lanes.get(key) ?? { running: 0, waiting: new Set() }
    lanes.set(key, lane)
    await enter(lane)
    try {
      return await work()
    } finally {
      leave(key, lane)
    }
  }
}
