import { coalesceReads } from '../../store/connection/coalesceReads.ts'
import { readVersions } from '../../store/payment-intents/readVersions.ts'
import type { HttpContext } from './httpContext.ts'
import { createUntilNewer } from './untilNewer.ts'

/**
 * Holds requests for an intent until it has a version above theirs, or is gone.
 *
 * @param find reads an intent, null when there is none
 */
export function createUntilNewerIntent<
  Value extends { readonly intent: { readonly version: number } },
>(
  context: Pick<HttpContext, 'db' | 'changes' | 'database' | 'stopping'>,
  find: (id: string) => Promise<Value | null>,
) {
  const { db, changes, database } = context
  const findVersion = coalesceReads({ db, database }, (ids) => readVersions(db.pool, ids))
  return createUntilNewer<Value | null, number>(context, {
    subscribe: (listener, awaited) => changes.onIntentChanged(listener, awaited),
    find,
    isNewer: (value, after) => value === null || value.intent.version > after,
    async isCurrent(id, after) {
      const version = await findVersion(id)
      return version !== null && version <= after
    },
  })
}
