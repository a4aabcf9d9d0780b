import type { IdPrefix } from '@payment-intents/core'
import { randomBytes } from '../../lib/crypto/randomBytes.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const codes = Buffer.from(alphabet)
const timeLength = 10

/**
 * Creates an identifier: the prefix, 10 characters of time and 20 of randomness (100 bits), in Crockford's base 32.
 * Identifiers sort by their time of creation.
 * @param now Unix milliseconds
 */
export function newId(prefix: IdPrefix, now: number): string {
  const random = randomBytes(20)
  for (const [index, byte] of random.entries()) random[index] = codes[byte & 31] as number
  return firstId(prefix, now) + random.toString('latin1')
}

/**
 * Returns a bound: identifiers of an earlier time are less, and identifiers of this time or later are greater.
 * @param time Unix milliseconds
 */
export function firstId(prefix: IdPrefix, time: number): string {
  let digits = ''
  for (
    let remainder = Math.max(time, 0);
    digits.length < timeLength;
    remainder = Math.floor(remainder / 32)
  ) {
    digits = alphabet.charAt(remainder % 32) + digits
  }
  return `${prefix}_${digits}`
}

/** The time at which an identifier was created, in Unix milliseconds. */
export function timeOfId(id: string): number {
  const digits = id.slice(id.indexOf('_') + 1).slice(0, timeLength)
  return [...digits].reduce((time, digit) => time * 32 + alphabet.indexOf(digit), 0)
}
