/** A map of at most `max` entries, which keeps at least the half that was set last. */
export type BoundedMap<Value> = {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
}

/**
 * Drops the older half of the entries when there are too many. To drop only the oldest would take time in V8: it finds
 * the first entry of a map only after all those that were deleted before it.
 */
export function boundedMap<Value>(max: number): BoundedMap<Value> {
  let older = new Map<string, Value>()
  let newer = new Map<string, Value>()
  return {
    get: (key) => newer.get(key) ?? older.get(key),
    set(key, value) {
      if (newer.size >= max / 2 && !newer.has(key)) {
        older = newer
        newer = new Map()
      }
      newer.set(key, value)
    },
    delete(key) {
      newer.delete(key)
      older.delete(key)
    },
  }
}
