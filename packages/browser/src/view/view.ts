import type { Actions } from '../actions.ts'
import type { Intent } from '../parseIntent.ts'
import type { Screen } from '../screen.ts'
import type { CheckoutState } from '../state.ts'
import type { Words } from './words.ts'

/** What every screen is drawn from. */
export type View = Words & {
  state: CheckoutState
  shown: Screen
  /** As registered with the service; before its answer, as the page calls it. */
  merchant: string
  /** What the page calls the merchant; empty where that is the registered name. */
  called: string
  theme: 'light' | 'dark'
  /** It is the page itself, which there is no closing. */
  page: 'opened' | 'linkless' | undefined
  /** Address by which a wallet's own browser can open this page; `null` where none may be given away. */
  link: string | null
  /** The service's clock, in milliseconds. */
  now: number
  /** For how long this screen has been shown. */
  waitedMs: number
  actions: Actions
  /** The payer asks to close. */
  askClose: () => void
  /** Closes without a further word. */
  close: () => void
}

/** Milliseconds until the intent expires, never negative. */
export function timeLeft(intent: Intent, now: number): number {
  return Math.max(0, Date.parse(intent.expires_at) - now)
}

/** `0x1234…abcd`, for where the whole address is not to be read or copied. */
export function shorten(hex: string): string {
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`
}
