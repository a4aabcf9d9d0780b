import { createHmac } from 'node:crypto'
import { base62 } from './base62.ts'
import { readCapability } from './readCapability.ts'
import type { ServerKey } from './serverKey.ts'

/**
 * The last part of an intent's x402 link: `<id>_x402_<256 bits>`. It is derived like the client secret but with another
 * key, so that a program that pays by the link cannot open the checkout.
 */
export function x402TokenOf(intentId: string, key: ServerKey): string {
  const digest = createHmac('sha256', key.x402Links).update(`x402:${intentId}`).digest()
  return `${intentId}_x402_${base62(digest, 43)}`
}

/** The id of the intent that a token pays; null: this server never issued it. */
export function readX402Token(token: string, keys: readonly ServerKey[]): string | null {
  return readCapability(token, '_x402_', x402TokenOf, keys)
}
