import type { AuthorizationRefusal } from '@payment-intents/contract'
import type { AcceptedAuthorization } from '../intents/acceptAuthorization.ts'

type Refused = Extract<AcceptedAuthorization, { type: 'refused' | 'mismatched' }>

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

const mismatches: Record<string, string> = {
  'authorization.to': 'invalid_exact_evm_recipient_mismatch',
  'authorization.value': 'invalid_exact_evm_payload_authorization_value_mismatch',
  'authorization.validAfter': 'invalid_exact_evm_payload_authorization_valid_after',
  'authorization.validBefore': 'invalid_exact_evm_payload_authorization_valid_before',
}

/** Why an authorization is not taken, as x402 names it. */
export function reasonOf(refused: Refused): string {
  const found =
    refused.type === 'mismatched'
      ? mismatches[refused.issues[0]?.path ?? '']
      : reasons[refused.reason as AuthorizationRefusal]
  return found ?? 'invalid_payload'
}
