import { timingSafeEqual } from 'node:crypto'
import type { ServerKey } from './serverKey.ts'

/** Derives the secret that opens an intent; it starts with the intent's id. */
type Derive = (intentId: string, key: ServerKey) => string

/**
 * Valid texts. A checkout sends its secret every few seconds; only the first request derives it. A set finds a text by
 * a randomly seeded hash of the whole text, so that its time reveals nothing about a guess.
 */
const shown = new WeakMap<ServerKey, Set<string>>()
/** The maximum of entries of each key; beyond it, all are dropped. */
const maxShown = 20_000

/**
 * The id of the intent that a text opens; null: this server never issued it.
 * @param separator between the id and the derived part
 */
export function readCapability(
  text: string,
  separator: string,
  derive: Derive,
  keys: readonly ServerKey[],
): string | null {
  const end = text.indexOf(separator)
  if (end < 0) return null
  const id = text.slice(0, end)
  const isValid = keys.some((key) => {
    const before = shownTo(key)
    if (before.has(text)) return true
    const bytes = Buffer.from(text)
    const expected = Buffer.from(derive(id, key))
    if (bytes.length !== expected.length || !timingSafeEqual(bytes, expected)) return false
    // Store only valid texts: guesses must not replace those in use.
    before.add(text)
    return true
  })
  return isValid ? id : null
}

function shownTo(key: ServerKey): Set<string> {
  const before = shown.get(key)
  if (before && before.size < maxShown) return before
  const none = new Set<string>()
  shown.set(key, none)
  return none
}
