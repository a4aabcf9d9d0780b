import { boundedMap } from '../../lib/boundedMap.ts'

/** A checkout that is answered by what was read before is at most so far behind. */
const keptMs = 10_000
/** Some megabytes; beyond them, those that were read first are forgotten. */
const most = 2_000

export type LastKnown<Value> = {
  /** @param found what was read of these ids at this moment; of those that are not there, nothing */
  keep(ids: readonly string[], found: ReadonlyMap<string, Value>): void
  /** null: it was not read lately */
  get(id: string): { readonly value: Value; readonly ageMs: number } | null
}

/** Remembers what was read of each id, for when it cannot be read. */
export function createLastKnown<Value>(): LastKnown<Value> {
  const known = boundedMap<{ value: Value; readAt: number }>(most)
  return {
    keep(ids, found) {
      const readAt = performance.now()
      for (const id of ids) {
        const value = found.get(id)
        if (value === undefined) known.delete(id)
        else known.set(id, { value, readAt })
      }
    },
    get(id) {
      const last = known.get(id)
      if (!last) return null
      const ageMs = performance.now() - last.readAt
      return ageMs <= keptMs ? { value: last.value, ageMs } : null
    },
  }
}
