import { randomBytes } from 'node:crypto'

export type IdPrefix = 'pi' | 'evt' | 'mer' | 'tr' | 'key' | 'we'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * A new identifier: the prefix, 10 characters of time and 20 of randomness (100 bits), in Crockford's
 * base 32, so that identifiers sort by when they were made.
 *
 * @param now Unix milliseconds
 */
export function newId(prefix: IdPrefix, now: number): string {
  let id = ''
  for (let rest = now, digit = 0; digit < 10; digit += 1, rest = Math.floor(rest / 32)) {
    id = alphabet.charAt(rest % 32) + id
  }
  for (const byte of randomBytes(20)) id += alphabet.charAt(byte & 31)
  return `${prefix}_${id}`
}
