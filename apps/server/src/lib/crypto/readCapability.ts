import { timingSafeEqual } from 'node:crypto'
import type { ServerKey } from './serverKey.ts'

/** Derives the secret that opens an object; it starts with the object's id. */
type Derive = (id: string, key: ServerKey) => string

/**
 * Texts that were valid before. A checkout sends its secret every few seconds, and only the first request derives it. A
 * set finds a text by a randomly seeded hash of the whole text, so that the time reveals nothing about a guess.
 */
const validTexts = new WeakMap<ServerKey, Set<string>>()
/** The maximum of texts for each key. Beyond it, all are dropped. */
const maxTexts = 20_000

/**
 * The id of the object that a text opens; null: this server never issued the text.
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
    const valid = validTextsOf(key)
    if (valid.has(text)) return true
    const bytes = Buffer.from(text)
    const expected = Buffer.from(derive(id, key))
    if (bytes.length !== expected.length || !timingSafeEqual(bytes, expected)) return false
    // Store only valid texts, so that guesses do not displace those in use.
    valid.add(text)
    return true
  })
  return isValid ? id : null
}

function validTextsOf(key: ServerKey): Set<string> {
  const texts = validTexts.get(key)
  if (texts && texts.size < maxTexts) return texts
  const empty = new Set<string>()
  validTexts.set(key, empty)
  return empty
}
