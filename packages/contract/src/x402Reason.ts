import type { AuthorizationRefusal } from './errors.ts'

/** Reasons in the words of the facilitators of x402, for those that a payer can do something about. */
const reasons: { readonly [reason in AuthorizationRefusal]?: string } = {
  signature_invalid: 'invalid_exact_evm_signature',
  insufficient_token: 'invalid_exact_evm_insufficient_balance',
  address_blocked: 'invalid_exact_evm_transaction_simulation_failed',
  token_paused: 'invalid_exact_evm_transaction_simulation_failed',
  // The intent is asked first whether it has ended itself.
  intent_expired: 'invalid_exact_evm_payload_authorization_valid_before',
  authorization_used: 'invalid_exact_evm_nonce_already_used',
}

const mismatches: { readonly [path: string]: string } = {
  'authorization.to': 'invalid_exact_evm_recipient_mismatch',
  'authorization.value': 'invalid_exact_evm_payload_authorization_value_mismatch',
  'authorization.validAfter': 'invalid_exact_evm_payload_authorization_valid_after',
  'authorization.validBefore': 'invalid_exact_evm_payload_authorization_valid_before',
}

/**
 * Why the service does not take an authorization, as x402 names it.
 *
 * @param refused `reason` and `issues` of an error of the service
 * @returns null: x402 has no name for it
 */
export function x402ReasonOf(refused: {
  readonly reason?: string | undefined
  readonly issues?: readonly { readonly path: string }[] | undefined
}): string | null {
  const { reason = '', issues = [] } = refused
  const named = Object.hasOwn(reasons, reason) ? reasons[reason as AuthorizationRefusal] : undefined
  return named ?? mismatches[issues[0]?.path ?? ''] ?? null
}
