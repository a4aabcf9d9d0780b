import { shareReads } from '../../store/connection/shareReads.ts'
import { readVersions } from '../../store/payment-intents/readVersions.ts'
import type { HttpContext } from './httpContext.ts'
import { createUntilNewer } from './untilNewer.ts'

/**
 * Holds requests for an intent until it has a version above theirs, or is gone.
 *
 * @param find reads an intent, null when there is none
 */
export function createUntilNewerIntent<
  Found extends { readonly intent: { readonly version: number } },
>(
  context: Pick<HttpContext, 'db' | 'changes' | 'database' | 'stopping'>,
  find: (id: string) => Promise<Found | null>,
) {
  const { db, changes, database } = context
  const findVersion = shareReads({ db, database }, (ids) => readVersions(db.pool, ids))
  return createUntilNewer<Found | null, number>(context, {
    subscribe: (listener, awaited) => changes.onIntentChanged(listener, awaited),
    find,
    isNewer: (found, after) => found === null || found.intent.version > after,
    async isCurrent(id, after) {
      const version = await findVersion(id)
      return version !== null && version <= after
    },
  })
}
