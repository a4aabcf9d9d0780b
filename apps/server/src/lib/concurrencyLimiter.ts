import { type HttpError, internalError, rateLimited } from '@payment-intents/core'
import type { DatabaseWatch } from '../store/connection/watchDatabase.ts'

/** Runs work, of which a limited number runs at once for one key. */
export type ConcurrencyLimiter = <Result>(
  key: string,
  work: () => Promise<Result>,
) => Promise<Result>

type Share = { running: number; readonly waiting: Set<Waiter> }
type Waiter = { enter(): void; refuse(error: HttpError): void }

/**
 * Limits how much work of one key, such as a merchant, runs at once. Further work waits in memory, in order and without a
 * database connection: for a while, and not while the database is away.
 *
 * @param options.most under way at once, for a key
 * @param options.waiting at once, for a key
 */
export function createConcurrencyLimiter(options: {
  most: number
  waiting: number
  waitMs: number
  database: Pick<DatabaseWatch, 'isAway' | 'onAway'>
}): ConcurrencyLimiter {
  const { most, waiting, waitMs, database } = options
  const shares = new Map<string, Share>()
  database.onAway(() => {
    for (const share of shares.values()) {
      for (const waiter of share.waiting) waiter.refuse(internalError())
      share.waiting.clear()
    }
  })

  async function enter(share: Share): Promise<void> {
    if (share.running < most) {
      share.running += 1
      return
    }
    if (database.isAway()) throw internalError()
    if (share.waiting.size >= waiting) throw rateLimited(1)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { enter: resolve, refuse: reject }
    share.waiting.add(waiter)
    const late = setTimeout(() => {
      share.waiting.delete(waiter)
      reject(rateLimited(1))
    }, waitMs)
    await promise.finally(() => clearTimeout(late))
  }

  function leave(key: string, share: Share): void {
    const [next] = share.waiting
    if (next) {
      // It takes the place, so that no later work comes first.
      share.waiting.delete(next)
      next.enter()
      return
    }
    share.running -= 1
    if (share.running === 0) shares.delete(key)
  }

  return async (key, work) => {
    const share = shares.get(key) ?? { running: 0, waiting: new Set() }
    shares.set(key, share)
    await enter(share)
    try {
      return await work()
    } finally {
      leave(key, share)
    }
  }
}
