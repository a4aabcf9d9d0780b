/** The greatest age of a value that `get` returns. */
const maxAgeMs = 10_000
/** Some megabytes in two periods of the same length. */
const maxInPeriod = 1_000

export type StaleCache<Value> = {
  /** @param values by id, as just read; an id without a value no longer exists */
  set(ids: readonly string[], values: ReadonlyMap<string, Value>): void
  /** null: the value is missing or too old. */
  get(id: string): { readonly value: Value; readonly ageMs: number } | null
}

/**
 * Caches the last value read of each id, for the time when the database cannot be read. A period takes only so many
 * ids: to replace values faster than they become too old would cost time, and keep no more of them.
 */
export function createStaleCache<Value>(): StaleCache<Value> {
  type Entries = Map<string, { readonly value: Value; readonly readAt: number }>
  let older: Entries = new Map()
  let newer: Entries = new Map()
  let begunAt = performance.now()

  function beginPeriod(now: number): void {
    older = now < begunAt + 2 * maxAgeMs ? newer : new Map()
    newer = new Map()
    begunAt = now
  }

  return {
    set(ids, values) {
      const readAt = performance.now()
      if (readAt >= begunAt + maxAgeMs) beginPeriod(readAt)
      for (const id of ids) {
        const value = values.get(id)
        older.delete(id)
        if (value === undefined) newer.delete(id)
        else if (newer.size < maxInPeriod || newer.has(id)) newer.set(id, { value, readAt })
      }
    },
    get(id) {
      const last = newer.get(id) ?? older.get(id)
      if (!last) return null
      const ageMs = performance.now() - last.readAt
      return ageMs <= maxAgeMs ? { value: last.value, ageMs } : null
    },
  }
}
