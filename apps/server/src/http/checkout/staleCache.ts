import { boundedMap } from '../../lib/boundedMap.ts'

/** The greatest age of a value that `get` returns. */
const maxAgeMs = 10_000
/** Some megabytes. Beyond it, the entries that were stored first are dropped. */
const maxEntries = 2_000

export type StaleCache<Value> = {
  /** @param values by id, as just read; an id without a value no longer exists */
  set(ids: readonly string[], values: ReadonlyMap<string, Value>): void
  /** null: the value is missing or too old. */
  get(id: string): { readonly value: Value; readonly ageMs: number } | null
}

/** Caches the last value read of each id, for the time when the database cannot be read. */
export function createStaleCache<Value>(): StaleCache<Value> {
  const entries = boundedMap<{ value: Value; readAt: number }>(maxEntries)
  return {
    set(ids, values) {
      const readAt = performance.now()
      for (const id of ids) {
        const value = values.get(id)
        if (value === undefined) entries.delete(id)
        else entries.set(id, { value, readAt })
      }
    },
    get(id) {
      const last = entries.get(id)
      if (!last) return null
      const ageMs = performance.now() - last.readAt
      return ageMs <= maxAgeMs ? { value: last.value, ageMs } : null
    },
  }
}
