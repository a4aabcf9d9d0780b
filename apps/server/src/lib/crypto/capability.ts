import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { boundedMap } from '../boundedMap.ts'
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
  const caches = new WeakMap<ServerKey, ReturnType<typeof createCache>>()

  function cacheOf(key: ServerKey): ReturnType<typeof createCache> {
    const cache = caches.get(key) ?? createCache()
    caches.set(key, cache)
    return cache
  }

  function derivedText(id: string, key: ServerKey): string {
    return id + separator + base62(derive(id, key), 43)
  }

  function opens(text: string, id: string, key: ServerKey): boolean {
    const cache = cacheOf(key)
    if (cache.isValid(text)) return true
    if (!isEqual(text, derivedText(id, key))) return false
    // Store only valid texts, so that guesses do not displace those in use.
    cache.store(id, text)
    return true
  }

  return {
    of(id, key) {
      const cache = cacheOf(key)
      const cached = cache.textOf(id)
      if (cached !== undefined) return cached
      const text = derivedText(id, key)
      cache.store(id, text)
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

function createCache() {
  const texts = boundedMap<string>(maxTexts)
  const valid = boundedMap<true>(maxTexts)
  return {
    textOf: texts.get,
    /** A map finds a text by a randomly seeded hash of the whole text, so that the time reveals nothing about a guess. */
    isValid: (text: string) => valid.get(text) ?? false,
    store(id: string, text: string): void {
      texts.set(id, text)
      valid.set(text, true)
    },
  }
}

function isEqual(text: string, expected: string): boolean {
  const [bytes, expectedBytes] = [Buffer.from(text), Buffer.from(expected)]
  return bytes.length === expectedBytes.length && timingSafeEqual(bytes, expectedBytes)
}

export function hmac(key: KeyObject, text: string): Uint8Array {
  return createHmac('sha256', key).update(text).digest()
}
