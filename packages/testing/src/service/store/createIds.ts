import type { IdPrefix } from '@payment-intents/core'
import { bytesToBigInt, bytesToHex } from 'viem'

const base32 = '0123456789abcdefghjkmnpqrstvwxyz'
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Generates identifiers that sort in order of creation, also within a millisecond. */
export function createIds() {
  let count = 0
  return {
    /** The prefix, 10 characters of time, 20 unique characters. @param now Unix milliseconds */
    next(prefix: IdPrefix, now: number): string {
      count += 1
      const unique = digits(randomBigInt(), base32).slice(-14).padStart(14, '0')
      return `${prefix}_${padded(now, 10)}${padded(count, 6)}${unique}`
    },
    clientSecret: (intentId: string) => `${intentId}_secret_${capability()}`,
    x402Token: (intentId: string) => `${intentId}_x402_${capability()}`,
    refundToken: (refundId: string) => `${refundId}_link_${capability()}`,
    hash: () => bytesToHex(random()),
    webhookSecret: () => `whsec_${btoa(String.fromCharCode(...random()))}`,
    handoffToken: () => toBase64Url(random().slice(0, 24)),
  }
}

function capability(): string {
  return digits(randomBigInt(), base62).slice(-43).padStart(43, '0')
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}

function random(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32))
}

function randomBigInt(): bigint {
  return bytesToBigInt(random())
}

function padded(number: number, length: number): string {
  return digits(BigInt(number), base32).padStart(length, '0')
}

function digits(number: bigint, alphabet: string): string {
  const base = BigInt(alphabet.length)
  let text = ''
  for (let rest = number; rest > 0n; rest /= base) text = alphabet[Number(rest % base)] + text
  return text
}

/** The creation time of an identifier, in Unix milliseconds. */
export function timeOfId(id: string): number {
  const time = id.slice(id.indexOf('_') + 1).slice(0, 10)
  return [...time].reduce((sum, digit) => sum * 32 + base32.indexOf(digit), 0)
}
