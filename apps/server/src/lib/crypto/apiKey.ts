import { createHash, randomBytes } from 'node:crypto'
import type { Mode } from '@payment-intents/contract'
import { base62 } from './base62.ts'
import { sha256 } from './sha256.ts'

const prefixes = { testnet: 'sk_test_', mainnet: 'sk_live_' } as const
const secretLength = 43
const checksumLength = 6

/** Creates an API key: a prefix that names the mode, 256 random bits, and a checksum over both. */
export function newApiKey(mode: Mode): string {
  const body = prefixes[mode] + base62(randomBytes(32), secretLength)
  return body + checksum(body)
}

/** Whether a text has the form and checksum of a key. Tells a typo from a key that is unknown or revoked. */
export function isWellFormedApiKey(text: string): boolean {
  const body = text.slice(0, -checksumLength)
  return /^sk_(test|live)_[0-9A-Za-z]{49}$/.test(text) && checksum(body) === text.slice(-6)
}

/** The stored form of a key: its SHA-256, here in base64. */
export function hashApiKey(key: string): string {
  return sha256(key, 'base64')
}

/** The part of a key that a list shows. */
export function apiKeyHint(key: string): string {
  return `${key.slice(0, 8)}…${key.slice(-4)}`
}

function checksum(body: string): string {
  const digest = createHash('sha256').update(`payment-intents:${body}`).digest()
  return base62(digest.subarray(0, 5), 7).slice(-checksumLength)
}
