import { formatAmount } from '../lib/amount.ts'
import { bought } from '../view/content/bought.ts'
import { plain } from '../view/content/translator.ts'

/** A line item, as text. */
export type Item = { name: string; quantity: string; amount: string }

const maxItems = 100
const maxNameLength = 200

/**
 * Reads `metadata.line_items`, a list of `{ name, quantity, amount }`. Merchants write it by hand: an entry without a name is omitted, and
 * a quantity or an amount that is not a number becomes empty. Amounts are in the currency of `metadata.fiat`, if there is one.
 */
export function itemsOf(metadata: Readonly<Record<string, unknown>>, tag: string): Item[] {
  const { line_items: list } = metadata
  const { fiat } = bought({ metadata })
  if (!Array.isArray(list)) return []
  return list.slice(0, maxItems).flatMap((entry: unknown) => {
    const { name, quantity, amount } = (entry ?? {}) as Record<string, unknown>
    if (typeof name !== 'string' || name.length > maxNameLength || !name.trim()) return []
    return {
      name: plain(name).trim(),
      quantity: quantityOf(quantity, tag),
      amount: amountOf(amount, tag, fiat?.currency),
    }
  })
}

/** Reads `metadata.description`; empty where it is no text. */
export function descriptionOf({ description }: Readonly<Record<string, unknown>>): string {
  return typeof description === 'string' ? plain(description).trim().slice(0, maxNameLength) : ''
}

/** Reads `metadata.fiat`, the shop's own price; empty where there is none. */
export function fiatPriceOf(metadata: Readonly<Record<string, unknown>>, tag: string): string {
  const { fiat } = bought({ metadata })
  return fiat ? inCurrency(fiat.amount, fiat.currency, tag) : ''
}

function quantityOf(value: unknown, tag: string): string {
  const quantity = typeof value === 'string' && value ? Number(value) : value
  const isCount = typeof quantity === 'number' && Number.isFinite(quantity) && quantity > 0
  return isCount ? new Intl.NumberFormat(tag).format(quantity) : ''
}

/** A decimal of at most six places, as text or as a number. */
function amountOf(value: unknown, tag: string, currency: string | undefined): string {
  const text = typeof value === 'number' || typeof value === 'string' ? `${value}` : ''
  const [, integer, fraction = ''] = /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(text) ?? []
  if (integer && currency) return inCurrency(text, currency, tag)
  return integer ? formatAmount(BigInt(integer + fraction.padEnd(6, '0')), 6, tag) : ''
}

function inCurrency(decimal: string, currency: string, tag: string): string {
  const style = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const
  return new Intl.NumberFormat(tag, style).format(decimal as Intl.StringNumericLiteral)
}
