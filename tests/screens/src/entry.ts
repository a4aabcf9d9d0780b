import type { CheckoutErrorCode } from '@payment-intents/browser'
import type { CreatePaymentIntent } from '@payment-intents/node'
import type { WalletScript } from './scriptedWallet.ts'
import type { Walk } from './walk.ts'

/** A payment: its intent, account, wallet and device. */
export type Payer = {
  /** The name of the picture; the account is derived from it. */
  name: string
  intent?: Partial<CreatePaymentIntent>
  /** The shop has a logo and a colour. */
  isBranded?: true
  /** The account's balances; by default plenty of both. */
  holds?: { usdc?: bigint; eth?: bigint }
  wallet?: WalletScript | 'none'
  device?: { isMobile: true; hasTouch: true; viewport: { width: number; height: number } }
}

/** One screen, how a payer gets there, and what it says in English. */
export type Entry = Payer & {
  /** One sentence beside the picture. */
  about: string
  /** `data-screen` and `data-detail` of the checkout. */
  screen: string
  detail?: string
  heading: string
  /** The announcement of a screen reader; nothing where the heading, which has the focus, says all. */
  announced: string
  /** The code passed to `onError`. */
  code?: CheckoutErrorCode
  /**
   * - `passing`: the payment goes on
   * - `payable`: the first thing that is offered leads to a payment
   * - `held`: money may be under way, and the first offer does not request it again
   * - `trying`: the checkout tries again by itself, and the payment goes on once it can
   * - `end`: there is no way forward, and the screen says so
   */
  kind: 'passing' | 'payable' | 'held' | 'trying' | 'end'
  /** `by hand` if it depends on single blocks, on the chain's clock or on the token: no other walk runs meanwhile. */
  chain?: 'by hand'
  /** From a page with nothing opened to the screen. */
  walk: (walk: Walk) => Promise<void>
  /**
   * Repairs what fails besides the wallet, which becomes honest in any case. Called again after the walk, since other
   * walks may share it.
   */
  mend?: (walk: Walk) => Promise<void>
  /** Failed requests in the browser's console are expected. */
  failsRequests?: true
}
