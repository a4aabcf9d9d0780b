import { formatAmount, toDecimal } from '../../lib/amount.ts'
import { en, type Messages } from '../../locales/en.ts'
import type { Intent } from '../../service/parseIntent.ts'
import type { Wallet } from '../../wallet/provider/discoverWallets.ts'

/** The values that depend only on the language. */
export type Translator = {
  /** The language of the messages: the first part of a BCP 47 tag. */
  language: string
  t: Translate
  /** An amount and its token, joined by a no-break space. */
  amount: (intent: Intent, units: bigint) => string
  /** A decimal in a currency; without a currency, in the format of the token's amounts. */
  price: (decimal: string, currency: string | undefined) => string
  /** A network fee in wei, to two digits, and the network's own token. */
  fee: (intent: Intent, wei: bigint) => string
  /** A whole number, padded with zeros to `digits`. */
  number: (value: number, digits?: number) => string
  /** An ISO 8601 time of the day, in the payer's time zone. */
  time: (iso: string) => string
  /** An ISO 8601 date and time, in the payer's time zone. */
  date: (iso: string) => string
  walletName: (wallet: Wallet) => string
}

/** Returns a message with its `{…}` filled in. */
type Translate = (key: keyof Messages, values?: Record<string, string>) => string

/**
 * Formats and messages of a language; missing messages are in English.
 *
 * @param english also gets the messages of later screens, when they are loaded
 * @param labels of the page, in place of messages
 */
export function createTranslator(
  messages: Partial<Messages> | null,
  tag: string,
  english: Partial<Messages> = en,
  labels?: { readonly [Key in keyof Messages]?: string | undefined },
): Translator {
  const isolate = isRightToLeft(tag)
  const t: Translate = (key, values = {}) =>
    (labels?.[key] ?? messages?.[key] ?? english[key] ?? '').replace(
      /\{(\w+)\}/g,
      (_, name: string) => {
        const value = values[name] ?? ''
        if (!isolate) return value
        // Isolates the direction of a Latin name or an amount (UAX #9). Its words would read in the wrong order over two
        // lines, so they stay together where they fit.
        return `\u2068${value[24] ? value : value.replace(/ /g, '\u00a0')}\u2069`
      },
    )
  return {
    t,
    language: tag.slice(0, 2).toLowerCase(),
    amount: (intent, units) =>
      `${formatAmount(units, intent.decimals, tag)}\u00a0${intent.token_symbol}`,
    price: (decimal, currency) =>
      new Intl.NumberFormat(tag, {
        ...(currency
          ? { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }
          : { minimumFractionDigits: 2, maximumFractionDigits: 6 }),
      }).format(decimal as Intl.StringNumericLiteral),
    fee: (intent, wei) => {
      const digits = { maximumSignificantDigits: 2 }
      const short = new Intl.NumberFormat(tag, digits).format(
        toDecimal(wei, 18) as Intl.StringNumericLiteral,
      )
      return `${short}\u00a0${intent.network.native_symbol}`
    },
    number: (value, digits = 1) =>
      new Intl.NumberFormat(tag, { minimumIntegerDigits: digits, useGrouping: false }).format(
        value,
      ),
    time: (iso) => new Date(iso).toLocaleTimeString(tag),
    date: (iso) => new Date(iso).toLocaleString(tag, { dateStyle: 'medium', timeStyle: 'short' }),
    walletName: ({ name }) => (name === null ? t('browser_wallet') : plain(name)),
  }
}

/** Removes explicit directional formatting from a name (UAX #9). */
export function plain(name: string): string {
  return name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
}

export function isRightToLeft(tag: string): boolean {
  return /^ar\b/.test(tag)
}
