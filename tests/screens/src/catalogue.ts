import type { CheckoutErrorCode } from '@payment-intents/browser'
import { chainScreens } from './catalogueChain.ts'
import { gaslessScreens } from './catalogueGasless.ts'
import { pageScreens } from './cataloguePage.ts'
import { payScreens } from './cataloguePay.ts'
import { serviceScreens } from './catalogueService.ts'
import { walletScreens } from './catalogueWallet.ts'
import type { Entry } from './entry.ts'

/** Every screen of the checkout, in the order in which a payer could meet them. */
export const catalogue: readonly Entry[] = [
  ...payScreens,
  ...walletScreens,
  ...gaslessScreens,
  ...chainScreens,
  ...serviceScreens,
  ...pageScreens,
]

/** The screen on which a payer learns of each error; a code that no screen shows does not compile. */
export const failures = {
  user_rejected: 'problem-declined',
  wallet_unauthorized: 'problem-no-account',
  method_unsupported: 'problem-unsupported',
  wallet_disconnected: 'problem-disconnected',
  wallet_not_found: 'pay-wallet-not-found',
  wrong_chain: 'problem-network',
  chain_add_failed: 'problem-network-not-added',
  request_pending: 'problem-already-asking',
  insufficient_token: 'problem-too-little-usdc',
  insufficient_gas: 'problem-too-little-gas',
  address_blocked: 'problem-blocked',
  token_paused: 'problem-paused',
  tx_reverted: 'problem-reverted',
  tx_replaced: 'problem-replaced',
  tx_dropped: 'problem-dropped',
  duplicate_submission: 'sent-duplicate',
  intent_expired: 'end-expired',
  intent_canceled: 'end-canceled',
  intent_not_found: 'end-not-found',
  network_error: 'problem-network-silent',
  rate_limited: 'outage-busy',
  internal_error: 'problem-other',
} satisfies Record<CheckoutErrorCode, string>
