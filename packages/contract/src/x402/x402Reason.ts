import type { AuthorizationRefusal } from '../errors.ts'

/** A payer cannot act on these: they are HTTP errors. */
type Untranslated = 'payment_in_flight' | 'gasless_unavailable'
type Translated = Exclude<AuthorizationRefusal, Untranslated> | 'idempotency_key_reused'

/** By the `reason` of an error of the service. */
const refusals = {
  signature_invalid: 'invalid_exact_evm_signature',
  insufficient_token: 'invalid_exact_evm_insufficient_balance',
  address_blocked: 'invalid_exact_evm_transaction_simulation_failed',
  token_paused: 'invalid_exact_evm_transaction_simulation_failed',
  // An ended intent is a 409 before its payment is checked.
  intent_expired: 'invalid_exact_evm_payload_authorization_valid_before',
  authorization_used: 'invalid_exact_evm_nonce_already_used',
  // The same payment was submitted for other terms.
  idempotency_key_reused: 'invalid_payment_requirements',
} as const satisfies Record<Translated, string>

/** By the path of an issue. */
const mismatches = {
  'authorization.to': 'invalid_exact_evm_recipient_mismatch',
  'authorization.value': 'invalid_exact_evm_payload_authorization_value_mismatch',
  'authorization.validAfter': 'invalid_exact_evm_payload_authorization_valid_after',
  'authorization.validBefore': 'invalid_exact_evm_payload_authorization_valid_before',
} as const

/** Reasons in the words of the x402 facilitators, by our names. No other file spells them out. */
export const x402Reasons = {
  ...refusals,
  ...mismatches,
  payload_invalid: 'invalid_payload',
  version_mismatch: 'invalid_x402_version',
  scheme_mismatch: 'invalid_exact_evm_scheme',
  network_mismatch: 'invalid_exact_evm_network_mismatch',
  requirements_mismatch: 'invalid_payment_requirements',
  token_name_mismatch: 'invalid_exact_evm_token_name_mismatch',
  token_version_mismatch: 'invalid_exact_evm_token_version_mismatch',
  pending: 'settlement_pending',
  intent_ended: 'invalid_transaction_state',
  unknown: 'unexpected_settle_error',
} as const

/**
 * Why the service refuses an authorization, as x402 names it.
 * @param refused `reason` and `issues` of an error of the service
 * @returns null: x402 has no name for it
 */
export function x402ReasonOf(refused: {
  readonly reason?: string | undefined
  readonly issues?: readonly { readonly path: string }[] | undefined
}): string | null {
  const { reason = '', issues = [] } = refused
  return lookUp(refusals, reason) ?? lookUp(mismatches, issues[0]?.path ?? '')
}

function lookUp(names: Readonly<Record<string, string>>, name: string): string | null {
  return Object.hasOwn(names, name) ? (names[name] ?? null) : null
}
