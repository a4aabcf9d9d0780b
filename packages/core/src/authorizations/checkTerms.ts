import { type TransferAuthorization, windows } from '@payment-intents/contract'
import type { Intent } from '../payment-intents/intent.ts'
import { received } from '../payment-intents/payingTransfers.ts'
import { isPaid } from '../payment-intents/status.ts'
import { type RefusedAuthorization, refusedAuthorization } from './authorizationRefusals.ts'

/**
 * The place at which an authorization was submitted. `checkout`: for the offer of `resolve`. `x402`: by a client that draws its
 * nonce at random and chooses its own times.
 */
export type AuthorizationSource = 'checkout' | 'x402'

export type CheckedTerms =
  | { type: 'fitting' }
  /** A field differs from the intent's terms. */
  | { type: 'mismatched'; issues: { path: string; message: string }[] }
  | RefusedAuthorization

/**
 * Checks that an authorization matches an intent's terms and that the intent still accepts an authorization.
 * @param now the chain's clock, Unix milliseconds
 */
export function checkTerms(
  intent: Intent,
  authorization: TransferAuthorization,
  { source, now }: { source: AuthorizationSource; now: number },
): CheckedTerms {
  const issues = issuesOf(intent, authorization, source, now)
  if (issues.length > 0) return { type: 'mismatched', issues }
  const remainingSeconds = Number(authorization.validBefore) - now / 1000
  if (intent.status === 'expired' || remainingSeconds <= windows.gaslessSubmitted) {
    const message =
      'The authorization would not be in a block in time: create a new payment intent.'
    return refusedAuthorization('intent_expired', message)
  }
  if (intent.status !== 'requires_payment') {
    const state = isPaid(intent) ? 'paid already' : 'canceled'
    return refusedAuthorization('illegal_state', `This payment intent is ${state}.`)
  }
  if (received(intent) > 0n) {
    const message =
      'The payment intent has received a part already, and an authorization pays the whole: pay the rest by a transfer.'
    return refusedAuthorization('illegal_state', message)
  }
  return { type: 'fitting' }
}

function issuesOf(
  intent: Intent,
  { from, to, value, validAfter, validBefore, nonce }: TransferAuthorization,
  source: AuthorizationSource,
  now: number,
): { path: string; message: string }[] {
  const issues: { path: string; message: string }[] = []
  const expect = (isSo: boolean, name: string, message: string) => {
    if (!isSo) issues.push({ path: `authorization.${name}`, message })
  }
  const { wallet, amount, expiresAt, reference } = intent
  expect(from.toLowerCase() !== wallet, 'from', 'must be another account than the expected_wallet')
  expect(to.toLowerCase() === wallet, 'to', `must be the expected_wallet, ${wallet}`)
  expect(value === String(amount), 'value', `must be the price, ${amount}`)
  if (source === 'checkout') {
    expect(validAfter === '0', 'validAfter', 'must be 0')
    expect(validBefore === String(expiresAt), 'validBefore', `must be expires_at, ${expiresAt}`)
    expect(nonce === reference, 'nonce', `must be the payment_reference, ${reference}`)
    return issues
  }
  const hasBegun = BigInt(validAfter) < BigInt(Math.floor(now / 1000))
  expect(hasBegun, 'validAfter', 'must be a time that has passed, in Unix seconds')
  const isInTime = BigInt(validBefore) <= BigInt(expiresAt)
  expect(isInTime, 'validBefore', `must not be later than expires_at, ${expiresAt}`)
  return issues
}
