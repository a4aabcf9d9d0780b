import { priceDue } from '../amount.ts'
import type { Intent } from '../parseIntent.ts'
import type { View } from './view.ts'

/** Explains an amount above the price; empty for the price. */
export function tagNote(intent: Intent, units: bigint, { t, amount }: View): string {
  const price = priceDue(intent)
  if (units <= price) return ''
  return t('tag', { price: amount(intent, price), tag: amount(intent, units - price) })
}
