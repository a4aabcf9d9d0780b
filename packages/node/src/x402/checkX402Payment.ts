import { windows, type X402Payment, x402Reasons } from '@payment-intents/contract'

/** The clocks of payers and of the service may be ahead or behind. */
const clockSeconds = 30
/** The last 32 bytes of the wrapper around the signature of an account that is not deployed yet (ERC-6492). */
const wrapped = '6492'.repeat(16)

/**
 * Returns the x402 reason why the service would refuse a payment, as far as it can be determined without a request, so
 * that no payment intent is created for the payment. null: the service may accept it. Only the service can verify the
 * signature, since it knows which accounts have code.
 *
 * An expired payment passes for a day: the service may have accepted it before, and then responds with its outcome.
 *
 * @param at.now Unix seconds
 * @param at.expiresIn the lifetime of the payment intent, in seconds
 */
export function checkX402Payment(
  { payload: { authorization, signature } }: X402Payment,
  { now, expiresIn }: { now: number; expiresIn: number },
): string | null {
  const [after, before] = [authorization.validAfter, authorization.validBefore].map(Number) as [
    number,
    number,
  ]
  if (after > now + clockSeconds) return x402Reasons['authorization.validAfter']
  if (before > now + expiresIn + clockSeconds || before < now - windows.idempotency) {
    return x402Reasons['authorization.validBefore']
  }
  return signature.toLowerCase().endsWith(wrapped) ? x402Reasons.signature_invalid : null
}
