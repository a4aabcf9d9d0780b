import { boundedMap } from '../../lib/boundedMap.ts'
import type { Queryable } from '../connection/connect.ts'
import { type Comparable, readRowVersions } from './paymentIntents.ts'

/** A cache takes about 20 megabytes. */
const maxCached = 8_000
/** The greatest age of a value that `last` returns. */
const maxAgeMs = 10_000

export type IntentCache<Value> = {
  /** Reads the present values, by id. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, Value>>
  /** The value that was read last, for the time when the database cannot be read; null: it is missing or too old. */
  last(id: string): { readonly value: Value; readonly ageMs: number } | null
}

/**
 * Caches what is read of intents. Most reads are of an intent that nobody has paid yet. Until something happens to it,
 * they read the version of its row alone.
 *
 * @param readUncached reads intents by id
 */
export function createIntentCache<Value>(
  db: Queryable,
  readUncached: (ids: readonly string[]) => Promise<ReadonlyMap<string, Comparable<Value>>>,
): IntentCache<Value> {
  const cache = boundedMap<Comparable<Value> & { readAt: number }>(maxCached)
  const isComparable = (id: string) => typeof cache.get(id)?.rowVersion === 'string'

  async function readRows(ids: readonly string[], values: Map<string, Value>) {
    if (ids.length === 0) return
    const rows = await readUncached(ids)
    const readAt = performance.now()
    for (const id of ids) {
      const row = rows.get(id)
      if (row) {
        values.set(id, row.value)
        cache.set(id, { ...row, readAt })
      } else {
        cache.delete(id)
      }
    }
  }

  async function readUnchanged(ids: readonly string[], values: Map<string, Value>) {
    if (ids.length === 0) return
    const versions = await readRowVersions(db, ids)
    const readAt = performance.now()
    for (const { id, rowVersion } of versions) {
      const cached = cache.get(id)
      if (cached?.rowVersion !== rowVersion) continue
      cached.readAt = readAt
      values.set(id, cached.value)
    }
  }

  return {
    async read(ids) {
      const values = new Map<string, Value>()
      const [comparable, others] = [[] as string[], [] as string[]]
      for (const id of ids) (isComparable(id) ? comparable : others).push(id)
      await Promise.all([readUnchanged(comparable, values), readRows(others, values)])
      const changed = comparable.filter((id) => !values.has(id))
      await readRows(changed, values)
      return values
    },
    last(id) {
      const cached = cache.get(id)
      if (!cached) return null
      const ageMs = performance.now() - cached.readAt
      return ageMs <= maxAgeMs ? { value: cached.value, ageMs } : null
    },
  }
}
