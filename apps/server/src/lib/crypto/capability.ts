import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { type BoundedMap, boundedMap } from '../boundedMap.ts'
import { base62 } from './base62.ts'
import type { ServerKey } from './serverKey.ts'

/**
 * Texts that open one object each: its id, a separator and 256 bits. They are derived from the server's own secret, so
 * that nothing in the database opens an object.
 */
export type Capability = {
  /** The text that opens an object. Call it only for an object that exists. */
  of(id: string, key: ServerKey): string
  /** The id of the object that a text opens; null: this server never issued the text. */
  read(text: string, keys: readonly ServerKey[]): string | null
}

/** The maximum of texts in memory, for each key: a checkout sends its secret every few seconds. */
const maxTexts = 20_000

/** @param derive the 256 bits of an id */
export function createCapability(
  separator: string,
  derive: (id: string, key: ServerKey) => Uint8Array,
): Capability {
  const texts = new WeakMap<ServerKey, BoundedMap<string>>()

  function textsOf(key: ServerKey): BoundedMap<string> {
    const known = texts.get(key) ?? boundedMap<string>(maxTexts)
    texts.set(key, known)
    return known
  }

  function textOf(id: string, key: ServerKey): string {
    return textsOf(key).get(id) ?? id + separator + base62(derive(id, key), 43)
  }

  function opens(text: string, id: string, key: ServerKey): boolean {
    const expected = textOf(id, key)
    const bytes = Buffer.from(text)
    const expectedBytes = Buffer.from(expected)
    if (bytes.length !== expectedBytes.length || !timingSafeEqual(bytes, expectedBytes))
      return false
    // Store only what a caller knows already, so that guesses do not displace texts in use.
    textsOf(key).set(id, expected)
    return true
  }

  return {
    of(id, key) {
      const text = textOf(id, key)
      textsOf(key).set(id, text)
      return text
    },
    read(text, keys) {
      const end = text.indexOf(separator)
      if (end < 0) return null
      const id = text.slice(0, end)
      return keys.some((key) => opens(text, id, key)) ? id : null
    },
  }
}

export function hmac(key: KeyObject, text: string): Uint8Array {
  return createHmac('sha256', key).update(text).digest()
}
