import type { Actions } from '../checkout/actions.ts'
import type { Screen } from '../checkout/screen.ts'
import type { CheckoutState } from '../checkout/state.ts'
import type { HostedPage } from '../hosted/hostedPage.ts'
import type { Intent } from '../service/parseIntent.ts'
import type { Translator } from './content/messages.ts'
import type { ByHand } from './keepByHand.ts'

/** The input of every screen. */
export type View = Translator & {
  state: CheckoutState
  /** The service. */
  baseUrl: string
  shown: Screen
  /** The registered name; before the service answers, the page's. */
  merchant: string
  /** The page's name for the merchant; empty if it is the registered name. */
  called: string
  theme: 'light' | 'dark'
  logo: string | undefined
  /** Set when the checkout is the whole page, which cannot be closed. */
  page: HostedPage | undefined
  /** Address of this page for a wallet's own browser; `null` if it must not be shared. */
  link: string | null
  /** The service's clock, in milliseconds. */
  now: number
  /** How long this screen has been shown. */
  waitedMs: number
  actions: Actions
  /** The screens of payers without a wallet in this browser; `null` while they are not loaded. */
  byHand: () => ByHand | null
  /** Those that there are. */
  languages: readonly string[]
  /** Draws in another language, and resolves to the one it is drawn in. */
  chooseLanguage: (language: string) => Promise<string>
  /** Closes without a warning. */
  close: () => void
}

/** Milliseconds until the intent expires, never negative. */
export function timeLeft(intent: Intent, now: number): number {
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
