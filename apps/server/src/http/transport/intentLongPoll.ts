import { coalesceReads } from '../../store/connection/coalesceReads.ts'
import { readVersions } from '../../store/payment-intents/readVersions.ts'
import type { HttpContext } from './httpContext.ts'
import { createLongPoll } from './longPoll.ts'

/**
 * Holds a request until its intent has a newer version, or does not exist.
 *
 * @param find reads an intent; null: there is none
 */
export function createIntentLongPoll<
  Value extends { readonly intent: { readonly version: number } },
>(
  context: Pick<HttpContext, 'db' | 'notifications' | 'database' | 'stopping'>,
  find: (id: string) => Promise<Value | null>,
) {
  const { db, notifications, database } = context
  const findVersion = coalesceReads({ db, database }, (ids) => readVersions(db.pool, ids))
  return createLongPoll<Value | null, number>(context, {
    subscribe: (listener, awaited) => notifications.onIntentChanged(listener, awaited),
    find,
    isNewer: (value, after) => value === null || value.intent.version > after,
    async isCurrent(id, after) {
      const version = await findVersion(id)
      return version !== null && version <= after
    },
  })
}
