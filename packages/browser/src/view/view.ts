import { formatAmount } from '../amount.ts'
import type { CheckoutState } from '../checkout.ts'
import type { Actions } from '../effects.ts'
import type { Messages } from '../locales/en.ts'
import type { Locale } from '../locales/loadMessages.ts'
import type { Intent } from '../parseIntent.ts'
import type { Wallet } from '../wallet/discoverWallets.ts'

/** What every screen is drawn from. */
export type View = {
  state: CheckoutState
  messages: Messages
  merchant: string
  theme: 'light' | 'dark'
  /** The service's clock, in milliseconds. */
  now: number
  actions: Actions
  /** The payer asks to close. */
  askClose: () => void
  /** Closes without a further word. */
  close: () => void
  /** An amount with its token, as the payer's locale writes it. */
  amount: (intent: Intent, units: bigint) => string
  walletName: (wallet: Wallet) => string
}

type Words = Pick<View, 'messages' | 'amount' | 'walletName'>

/** The parts of a view that depend on the language alone. */
export function wordsOf({ messages, tag }: Locale): Words {
  return {
    messages,
    amount: (intent, units) =>
      `${formatAmount(units, intent.decimals, tag)} ${intent.token_symbol}`,
    walletName: ({ name }) => name ?? messages.browserWallet,
  }
}

/** Milliseconds until the intent expires, never negative. */
export function timeLeft(intent: Intent, now: number): number {
  return Math.max(0, Date.parse(intent.expires_at) - now)
}

/** `0x1234…abcd`, for where the whole address is not to be read or copied. */
export function shorten(hex: string): string {
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`
}
