import { timingSafeEqual } from 'node:crypto'
import type { ServerKey } from './serverKey.ts'

/** Derives what opens one intent, of which the id is the first part. */
type Derive = (intentId: string, key: ServerKey) => string

/** A checkout shows its secret every few seconds; it is derived at the first of them. */
const shown = new WeakMap<ServerKey, Map<string, Buffer>>()
/** Of each key; then all are forgotten. */
const shownAtMost = 20_000

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
  const [id = ''] = text.split(separator, 1)
  const given = Buffer.from(text)
  const isValid = keys.some((key) => {
    const before = shownTo(key)
    const name = id + separator
    const expected = before.get(name) ?? Buffer.from(derive(id, key))
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false
    // Only what was right: guesses must not push out what is in use.
    before.set(name, expected)
    return true
  })
  return isValid ? id : null
}

function shownTo(key: ServerKey): Map<string, Buffer> {
  const before = shown.get(key)
  if (before && before.size < shownAtMost) return before
  const none = new Map<string, Buffer>()
  shown.set(key, none)
  return none
}
