import type { CheckoutError, CheckoutErrorCode } from './options.ts'

const messages: Record<CheckoutErrorCode, string> = {
  user_rejected: 'The payer declined in the wallet.',
  wallet_unauthorized: 'The wallet shares no account with this page.',
  method_unsupported: 'The wallet lacks a method that is needed.',
  wallet_disconnected: 'The wallet is disconnected.',
  wallet_not_found: 'No wallet was found, and the intent cannot be paid by hand.',
  wrong_chain: 'The wallet is on another chain.',
  chain_add_failed: 'The wallet could not add the chain.',
  request_pending: 'The wallet is still asking about an earlier request.',
  insufficient_token: 'The account holds too little of the token.',
  insufficient_gas: 'The account cannot pay the network fee.',
  address_blocked: 'The token refuses transfers from the account.',
  token_paused: 'The token has paused all transfers.',
  tx_reverted: 'The transaction reverted.',
  tx_replaced: 'The transaction was replaced by another.',
  tx_dropped: 'The transaction was dropped.',
  duplicate_submission: 'The wallet had sent this payment before.',
  intent_expired: 'The payment intent has expired.',
  intent_canceled: 'The payment intent was canceled.',
  intent_not_found: 'No payment intent has this client secret.',
  network_error: 'The network or the service does not answer.',
  rate_limited: 'The service asks for fewer requests.',
  internal_error: 'An unexpected error of the wallet or the service.',
}

/** What `onError` is told about a code. Only the end of the intent itself cannot be recovered from. */
export function checkoutError(code: CheckoutErrorCode): CheckoutError {
  return { code, message: messages[code], recoverable: !code.startsWith('intent_') }
}
