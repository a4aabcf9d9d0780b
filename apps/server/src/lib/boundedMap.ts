/** A map of at most `max` entries. A further entry replaces the entry that was set first. */
export type BoundedMap<Value> = {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
}

export function boundedMap<Value>(max: number): BoundedMap<Value> {
  const entries = new Map<string, Value>()
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key)
      const [oldest] = entries.size >= max ? entries.keys() : []
      if (oldest !== undefined) entries.delete(oldest)
      entries.set(key, value)
    },
    delete: (key) => void entries.delete(key),
  }
}
