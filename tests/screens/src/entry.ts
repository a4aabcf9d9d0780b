import type { CheckoutErrorCode } from '@payment-intents/browser'
import type { CreatePaymentIntent } from '@payment-intents/node'
import type { WalletScript } from './scriptedWallet.ts'
import type { Walk } from './walk.ts'

/** Who pays: an intent, an account, a wallet and a device. */
export type Payer = {
  /** Of the picture, and what the account is made of. */
  name: string
  intent?: Partial<CreatePaymentIntent>
  /** What the account holds; plenty of both unless told. */
  holds?: { usdc?: bigint; eth?: bigint }
  wallet?: WalletScript | 'none'
  device?: { isMobile: true; hasTouch: true; viewport: { width: number; height: number } }
}

/** One screen, how a payer gets there, and what it says in English. */
export type Entry = Payer & {
  /** One sentence for whoever looks at the picture. */
  about: string
  /** `data-screen` and `data-detail` of the checkout. */
  screen: string
  detail?: string
  heading: string
  /** What a screen reader says. */
  announced: string
  /** What `onError` is told. */
  code?: CheckoutErrorCode
  /**
   * - `passing`: the payment goes on
   * - `payable`: the first thing that is offered leads to a payment
   * - `held`: money may be under way, and nothing that is offered first asks for it again
   * - `trying`: the checkout tries again by itself, and the payment goes on once it can
   * - `end`: there is no way forward, and the screen says so
   */
  kind: 'passing' | 'payable' | 'held' | 'trying' | 'end'
  /** `by hand` for what hangs on single blocks, on the chain's clock or on the token: no other walk runs meanwhile. */
  chain?: 'by hand'
  /** From a page with nothing opened to the screen. */
  walk: (walk: Walk) => Promise<void>
  /**
   * What the payer or the world puts right, besides the wallet, which turns honest in any case. Done again when the walk
   * is over, since some of it is everybody's.
   */
  mend?: (walk: Walk) => Promise<void>
  /** The browser says in its console that requests fail, as they are made to. */
  failsRequests?: true
}
