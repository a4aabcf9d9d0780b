import { formatAmount, toDecimal } from '../amount.ts'
import { en, type Messages } from '../locales/en.ts'
import type { Intent } from '../parseIntent.ts'
import type { Wallet } from '../wallet/discoverWallets.ts'

/** What depends on the language alone. */
export type Words = {
  say: Say
  /** An amount with its token, which no line break parts. */
  amount: (intent: Intent, units: bigint) => string
  /** About how much that is in US dollars. */
  dollars: (intent: Intent, units: bigint) => string
  /** A whole number, with leading zeros up to so many digits. */
  number: (value: number, digits?: number) => string
  walletName: (wallet: Wallet) => string
}

/** A sentence, with its `{…}` filled in. */
type Say = (key: keyof Messages, values?: Record<string, string>) => string

/** The words of a language; what it does not say is said in English. */
export function wordsOf(messages: Partial<Messages> | null, tag: string): Words {
  const isolate = isRightToLeft(tag)
  const say: Say = (key, values = {}) =>
    (messages?.[key] ?? en[key]).replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name] ?? ''
      // A Latin name or an amount keeps its own direction, and turns nothing around it (UAX #9).
      return isolate ? `\u2068${value}\u2069` : value
    })
  return {
    say,
    amount: (intent, units) =>
      `${formatAmount(units, intent.decimals, tag)}\u00a0${intent.token_symbol}`,
    dollars: (intent, units) =>
      new Intl.NumberFormat(tag, {
        ...{ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' },
      }).format(toDecimal(units, intent.decimals) as Intl.StringNumericLiteral),
    number: (value, digits = 1) =>
      new Intl.NumberFormat(tag, { minimumIntegerDigits: digits, useGrouping: false }).format(
        value,
      ),
    walletName: ({ name }) => (name === null ? say('browser_wallet') : plain(name)),
  }
}

/** A name without what would turn the text around it (UAX #9, explicit formatting). */
export function plain(name: string): string {
  return name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
}

export function isRightToLeft(tag: string): boolean {
  return /^ar\b/.test(tag)
}
