import type { CheckoutIntent, CheckoutView } from '@payment-intents/core'
import { boundedMap } from '../../lib/boundedMap.ts'
import type { Queryable } from '../connection/connect.ts'
import { findForCheckouts, readRowVersions } from './paymentIntents.ts'

/** About 20 megabytes. */
const maxCached = 10_000
/** The greatest age of a view that `last` returns. */
const maxAgeMs = 10_000

type Cached = {
  readonly view: CheckoutView
  /** As long as the intent has it, the view is right; null: the view may be wrong. */
  readonly rowVersion: string | null
  readAt: number
}

export type CheckoutCache = {
  /** Reads what checkouts show now, by the ids of their intents. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, CheckoutView>>
  /** What was read last, for the time when the database cannot be read; null: it is missing or too old. */
  last(id: string): { readonly view: CheckoutView; readonly ageMs: number } | null
}

/**
 * Caches what checkouts show. Most resolves are of an intent that nobody has paid yet. Until something happens to it,
 * they read the version of its row alone.
 */
export function createCheckoutCache(
  db: Queryable,
  viewOf: (checkoutIntent: CheckoutIntent) => CheckoutView | null,
): CheckoutCache {
  const cache = boundedMap<Cached>(maxCached)
  const isComparable = (id: string) => typeof cache.get(id)?.rowVersion === 'string'

  async function readWhole(ids: readonly string[], views: Map<string, CheckoutView>) {
    if (ids.length === 0) return
    const found = await findForCheckouts(db, ids)
    const readAt = performance.now()
    for (const id of ids) {
      const checkout = found.get(id)
      const view = checkout && viewOf(checkout)
      if (view) {
        views.set(id, view)
        cache.set(id, { view, rowVersion: checkout.rowVersion, readAt })
      } else {
        cache.delete(id)
      }
    }
  }

  async function readUnchanged(ids: readonly string[], views: Map<string, CheckoutView>) {
    const versions = await readRowVersions(db, ids)
    const readAt = performance.now()
    for (const { id, rowVersion } of versions) {
      const cached = cache.get(id)
      if (cached?.rowVersion !== rowVersion) continue
      cached.readAt = readAt
      views.set(id, cached.view)
    }
  }

  return {
    async read(ids) {
      const views = new Map<string, CheckoutView>()
      const comparable = ids.filter(isComparable)
      if (comparable.length === 0) {
        await readWhole(ids, views)
      } else {
        const unknown = ids.filter((id) => !isComparable(id))
        await Promise.all([readUnchanged(comparable, views), readWhole(unknown, views)])
        await readWhole(
          comparable.filter((id) => !views.has(id)),
          views,
        )
      }
      return views
    },
    last(id) {
      const cached = cache.get(id)
      if (!cached) return null
      const ageMs = performance.now() - cached.readAt
      return ageMs <= maxAgeMs ? { view: cached.view, ageMs } : null
    },
  }
}
