import { timingSafeEqual } from 'node:crypto'
import type { ServerKey } from './serverKey.ts'

/** Derives the secret that opens one intent, of which the id is the first part. */
type Derive = (intentId: string, key: ServerKey) => string

/**
 * Texts that were right. A checkout shows its secret every few seconds; it is derived at the first of them. A set finds a
 * text by a hash of the whole, whose seed is random: how long that takes tells nothing of a guess.
 */
const shown = new WeakMap<ServerKey, Set<string>>()
/** Entries of each key; then all are forgotten. */
const maxShown = 20_000

/**
 * The id of the intent that a text opens, or null when this server never gave it out.
 *
 * @param separator between the id and what is derived from it
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
    // Only what was right: guesses must not push out what is in use.
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
