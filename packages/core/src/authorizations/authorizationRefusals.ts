import type { AuthorizationRefusal } from '@payment-intents/contract'

export type RefusedAuthorization = {
  readonly type: 'refused'
  readonly reason: AuthorizationRefusal | 'illegal_state'
  readonly message: string
}

/** The state of the payer and the token when an authorization is submitted. */
export type AuthorizationFacts = {
  readonly value: bigint
  readonly balance: bigint
  /** Units that the payer's other authorizations in flight may take. */
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

/** The refusal while no relayer would submit an authorization. */
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
