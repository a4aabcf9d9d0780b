import type { CheckoutPaymentMethod } from '../checkoutOptions.ts'
import type { Wallet } from '../wallet/provider/discoverWallets.ts'
import type { CheckoutEvent, CopyField, QrContent } from './state.ts'

/** The payer's actions, except closing. */
export type Actions = ReturnType<typeof actionsOf>

export function actionsOf(dispatch: (event: CheckoutEvent) => void) {
  return {
    /** Call it in the click handler: it sends the wallet's request before it returns. */
    pay: (wallet: Wallet, isSponsored = false) =>
      dispatch({ type: 'wallet_chosen', wallet, isSponsored }),
    /** Sends a transfer instead of signing. Call it in the click handler, too. */
    payUnsigned: (wallet: Wallet) => dispatch({ type: 'wallet_chosen', wallet, unsigned: true }),
    back: () => dispatch({ type: 'attempt_left' }),
    /** Call it in the click handler, too. */
    reopenWallet: () => dispatch({ type: 'wake_requested' }),
    /** The payer is sure that nothing was sent. */
    insist: () => dispatch({ type: 'dismissed' }),
    choosePaymentMethod: (paymentMethod: CheckoutPaymentMethod) =>
      dispatch({ type: 'payment_method_chosen', paymentMethod }),
    chooseQr: (content: QrContent) => dispatch({ type: 'qr_chosen', content }),
    copy: (field: CopyField) => dispatch({ type: 'copy_requested', field }),
    /** Says whether the payer sent a near miss. */
    classifyNearMiss: (txHash: string, owner: 'mine' | 'other') =>
      dispatch({ type: 'near_miss_classified', txHash, owner }),
    stay: () => dispatch({ type: 'stayed' }),
  }
}
