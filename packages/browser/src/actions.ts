import type { CheckoutEvent, CopyField, QrContent, Rail } from './state.ts'
import type { Wallet } from './wallet/discoverWallets.ts'

/** What the payer can do, besides closing. */
export type Actions = ReturnType<typeof actionsOf>

export function actionsOf(dispatch: (event: CheckoutEvent) => void) {
  return {
    /** Must be called in the click itself: the wallet is asked before it returns. */
    pay: (wallet: Wallet) => dispatch({ type: 'wallet_chosen', wallet }),
    back: () => dispatch({ type: 'attempt_left' }),
    /** The payer is sure that what a wallet was asked for was not sent. */
    insist: () => dispatch({ type: 'insisted' }),
    chooseRail: (rail: Rail) => dispatch({ type: 'rail_chosen', rail }),
    chooseQr: (content: QrContent) => dispatch({ type: 'qr_chosen', content }),
    copy: (field: CopyField) => dispatch({ type: 'copy_asked', field }),
    stay: () => dispatch({ type: 'stayed' }),
  }
}
