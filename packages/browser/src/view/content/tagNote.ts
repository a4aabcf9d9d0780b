import { isUnderpaid, priceDue } from '../../lib/amount.ts'
import type { Intent } from '../../service/parseIntent.ts'
import type { View } from '../view.ts'

/** Explains an amount above the price; empty for the price. */
export function tagNote(
  intent: Intent,
  units: bigint,
  { t, amount }: Pick<View, 't' | 'amount'>,
): string {
  const price = priceDue(intent)
  if (units <= price) return ''
  // Only the amount to send has its token.
  const bare = (part: bigint) => amount(intent, part).replace(/\s\S+$/, '')
  const key = isUnderpaid(intent) ? 'tag.rest' : 'tag'
  return t(key, { price: bare(price), tag: bare(units - price) })
}
