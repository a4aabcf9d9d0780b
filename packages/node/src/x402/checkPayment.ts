import { windows, type X402Payment, x402Reasons } from '@payment-intents/contract'

/** Clocks of payers, and of the service, may be ahead or behind. */
const clockSeconds = 30
/** The last 32 bytes of what wraps the signature of an account that is not there yet (ERC-6492). */
const wrapped = '6492'.repeat(16)

/**
 * Why the service would refuse a payment, in the words of x402, as far as that shows without asking: no payment intent is
 * made for it. null: it may take it. Whether the signature is good only the service can say, which knows which accounts
 * have code.
 *
 * A payment that is over is let through for a day: it may have been taken before, and is answered by what became of it.
 *
 * @param at.now Unix seconds
 * @param at.expiresIn how long the payment intent would live
 */
export function checkPayment(
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
