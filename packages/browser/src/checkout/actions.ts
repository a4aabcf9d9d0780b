import type { Wallet } from '../wallet/provider/discoverWallets.ts'
import type { CheckoutEvent, CopyField, QrContent, Rail } from './state.ts'

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
    again: () => dispatch({ type: 'asked_again' }),
    /** The payer is sure that nothing was sent. */
    insist: () => dispatch({ type: 'insisted' }),
    chooseRail: (rail: Rail) => dispatch({ type: 'rail_chosen', rail }),
    chooseQr: (content: QrContent) => dispatch({ type: 'qr_chosen', content }),
    copy: (field: CopyField) => dispatch({ type: 'copy_asked', field }),
    /** Says whether the payer sent a near miss. */
    answerMiss: (txHash: string, whose: 'mine' | 'other') =>
      dispatch({ type: 'miss_answered', txHash, whose }),
    stay: () => dispatch({ type: 'stayed' }),
  }
}
