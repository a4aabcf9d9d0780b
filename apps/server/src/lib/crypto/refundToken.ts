import { createHmac } from 'node:crypto'
import { base62 } from './base62.ts'
import { readCapability } from './readCapability.ts'
import type { ServerKey } from './serverKey.ts'

/** The token that opens the page of a refund's payer: `<id>_link_<256 bits>`, derived like the client secret. */
export function refundTokenOf(refundId: string, key: ServerKey): string {
  const digest = createHmac('sha256', key.refundLinks).update(`refund:${refundId}`).digest()
  return `${refundId}_link_${base62(digest, 43)}`
}

/** The id of the refund that a token opens; null: this server never issued it. */
export function readRefundToken(token: string, keys: readonly ServerKey[]): string | null {
  return readCapability(token, '_link_', refundTokenOf, keys)
}
