import { boundedMap } from '../../lib/boundedMap.ts'

/** A checkout that gets a cached intent is at most this far behind. */
const maxAgeMs = 10_000
/** Some megabytes; beyond them, the entries that were read first are dropped. */
const maxEntries = 2_000

export type StaleCache<Value> = {
  /** @param values the values of these ids at this moment, without the missing ones */
  set(ids: readonly string[], values: ReadonlyMap<string, Value>): void
  /** null: it was not read lately. */
  get(id: string): { readonly value: Value; readonly ageMs: number } | null
}

/** Caches the last value read of each id, for when it cannot be read. */
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
