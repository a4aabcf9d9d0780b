import {
  type AuthorizationRefusal,
  type TransferAuthorization,
  windows,
} from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Intent } from '../payment-intents/intent.ts'
import { received } from '../payment-intents/payingTransfers.ts'
import { isPaid } from '../payment-intents/status.ts'

/**
 * Where an authorization was submitted. `checkout`: for the offer of `resolve`. `x402`: by a client that draws its
 * nonce at random and chooses its own times.
 */
export type AuthorizationSource = 'checkout' | 'x402'

export type RefusedAuthorization = {
  readonly type: 'refused'
  readonly reason: AuthorizationRefusal | 'illegal_state'
  readonly message: string
}

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

/** The payer's and the token's state when an authorization is submitted. */
export type AuthorizationFacts = {
  readonly value: bigint
  readonly balance: bigint
  /** Units that the payer's other authorizations in flight will take. */
  readonly promised: bigint
  readonly isPaused: boolean
  readonly isPayerBlocked: boolean
  readonly isRecipientBlocked: boolean
  readonly isUsed: boolean
}

/** Why the token would refuse an authorization; null: no reason is known. */
export function refusalByToken(facts: AuthorizationFacts): RefusedAuthorization | null {
  const { value, balance, promised } = facts
  if (facts.isUsed) return authorizationUsed('This account has used this nonce already.')
  if (facts.isPaused) {
    return refusedAuthorization('token_paused', 'Transfers of USDC are paused on this chain.')
  }
  if (facts.isPayerBlocked || facts.isRecipientBlocked) {
    // An authorization pays a merchant or a merchant's refund.
    const account = facts.isPayerBlocked ? 'pays' : 'is to be paid'
    return refusedAuthorization('address_blocked', `USDC has blocked the account that ${account}.`)
  }
  if (balance < promised + value) {
    const other = promised > 0n ? `, of which ${promised} are promised to other payments` : ''
    const message = `The account has ${balance} units of USDC${other}; ${value} are needed.`
    return refusedAuthorization('insufficient_token', message)
  }
  return null
}

/** No relayer would submit it now. */
export function notRelayed({ isConfigured }: { isConfigured: boolean }): RefusedAuthorization {
  const message = isConfigured
    ? 'The service submits no authorizations on this chain now: pay by a transfer.'
    : "The service relays no payments on this chain: see its operator's docs, and pay by a transfer."
  return refusedAuthorization('gasless_unavailable', message)
}

/** The conflict that refuses an authorization before it is stored; null: none. */
export function refusalByConflict(conflict: {
  /** Another authorization for the intent is in flight. */
  isInFlight: boolean
  /** The account's nonce was submitted for another intent, or is another intent's reference. */
  isOtherIntent: boolean
}): RefusedAuthorization | null {
  if (conflict.isInFlight) {
    const message =
      'Another authorization for this payment intent is in flight: wait for its outcome.'
    return refusedAuthorization('payment_in_flight', message)
  }
  return conflict.isOtherIntent
    ? authorizationUsed('The nonce belongs to another payment intent.')
    : null
}

export function refusedAuthorization(
  reason: RefusedAuthorization['reason'],
  message: string,
): RefusedAuthorization {
  return { type: 'refused', reason, message }
}

function authorizationUsed(message: string): RefusedAuthorization {
  return refusedAuthorization('authorization_used', message)
}

/** The key of an account's nonce, which the token accepts once. */
export function authorizationKey(authorizer: string, nonce: Hex): string {
  return `${authorizer}:${nonce}`
}
