import { createCapability, hmac } from './capability.ts'

/**
 * The last part of an intent's x402 link: `<id>_x402_<256 bits>`. It has a key of its own, so that a program that pays
 * by the link cannot open the checkout.
 */
export const { of: x402TokenOf, read: readX402Token } = createCapability(
  '_x402_',
  (intentId, key) => hmac(key.x402Links, `x402:${intentId}`),
)
