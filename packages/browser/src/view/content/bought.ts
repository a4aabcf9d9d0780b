import type { Intent } from '../../service/parseIntent.ts'
import { plain } from './translator.ts'

/** The purchase, as the merchant's `metadata` describes it; all of it is text. */
export type Bought = {
  description: string
  items: readonly Item[]
  /** The shop's own price; `null` where it is in dollars. */
  fiat: Price | null
}

/** `price`: of the line, in `currency`, or in the token if that is empty. */
type Item = { name: string; quantity: number; price: string }
type Price = { currency: string; amount: string }

const maxDescription = 200
const maxName = 80
const maxItems = 20

/** Reads a merchant's free JSON; malformed parts are not shown. */
export function bought({
  metadata,
  description: ofLink,
}: Pick<Intent, 'metadata'> & Partial<Pick<Intent, 'description'>>): Bought {
  const { description, line_items, fiat } = Object(metadata)
  const lines: readonly unknown[] = Array.isArray(line_items) ? line_items : []
  const items = lines.length <= maxItems ? lines.map(item) : [null]
  return {
    description: text(ofLink ?? description, maxDescription),
    // A list without its malformed lines would describe another purchase.
    items: items.every((entry) => entry !== null) ? items : [],
    fiat: price(fiat),
  }
}

function item(line: unknown): Item | null {
  const { name, quantity = 1, amount = '' } = Object(line)
  if (!Number.isSafeInteger(quantity) || quantity < 1) return null
  const read = { name: text(name, maxName), quantity: Number(quantity), price: decimal(amount) }
  return read.name && (read.price || amount === '') ? read : null
}

function price(fiat: unknown): Price | null {
  const { currency, amount } = Object(fiat)
  const isCode = typeof currency === 'string' && /^[A-Z]{3}$/.test(currency)
  return isCode && decimal(amount) ? { currency, amount: decimal(amount) } : null
}

/** A decimal such as `12.5`; empty if it is none. */
function decimal(value: unknown): string {
  const digits = typeof value === 'number' || typeof value === 'string' ? `${value}` : ''
  return /^\d{1,12}(\.\d{1,6})?$/.test(digits) ? digits : ''
}

function text(value: unknown, max: number): string {
  return typeof value === 'string' && value.length <= max ? plain(value).trim() : ''
}
