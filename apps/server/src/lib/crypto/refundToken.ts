import { createCapability, hmac } from './capability.ts'

/** The token that opens the page of a refund's payer: `<id>_link_<256 bits>`. */
export const { of: refundTokenOf, read: readRefundToken } = createCapability(
  '_link_',
  (refundId, key) => hmac(key.refundLinks, `refund:${refundId}`),
)
