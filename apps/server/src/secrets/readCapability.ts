import { timingSafeEqual } from 'node:crypto'
import type { ServerKey } from './serverKey.ts'

/** Derives what opens one intent, of which the id is the first part. */
type Derive = (intentId: string, key: ServerKey) => string

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
    const expected = Buffer.from(derive(id, key))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return isValid ? id : null
}
