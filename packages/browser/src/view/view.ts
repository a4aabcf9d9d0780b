import type { Actions } from '../checkout/checkoutActions.ts'
import type { Screen } from '../checkout/screen.ts'
import type { CheckoutState } from '../checkout/state.ts'
import type { Intent } from '../service/parseIntent.ts'
import type { AroundPayment } from './aroundPayment.ts'
import type { FrameView } from './Frame.tsx'
import type { ManualParts } from './lazyManualParts.ts'

/** The input of every screen. */
export type View = FrameView & {
  state: CheckoutState
  /** The service. */
  baseUrl: string
  shown: Screen
  /** Set if the payment is a payment link's. */
  around: AroundPayment | undefined
  /** Address of this page for a wallet's own browser; `null` if it must not be shared. */
  link: string | null
  /** The service's clock, in milliseconds. */
  now: number
  /** How long this screen has been shown. */
  waitedMs: number
  actions: Actions
  /** The parts for payers without a wallet in this browser; `null` while they are not loaded. */
  manualParts: () => ManualParts | null
  /** Closes without a warning. */
  close: () => void
}

/** Milliseconds until the intent expires, never negative. */
export function remainingMs(intent: Intent, now: number): number {
  return Math.max(0, Date.parse(intent.expires_at) - now)
}

/** `0x1234…abcd`, where the full address is not needed. */
export function shorten(hex: string): string {
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`
}

/** A page of the chain's explorer; `null` where the chain has none. */
export function explorerLink(
  { network }: Pick<Intent, 'network'>,
  of: 'tx' | 'address',
  value: string | null,
): string | null {
  const { explorer_url: explorer } = network
  return value && explorer && `${explorer.replace(/\/$/, '')}/${of}/${value}`
}
