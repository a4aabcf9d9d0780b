import type { RetrievedPaymentIntent } from '@payment-intents/contract'
import { shorten } from '../../parts/values/Copied.tsx'
import { cleanText } from '../../parts/values/cleanText.ts'

const longestTitle = 100

/** Returns the order id, else the description, else the shortened id. */
export function titleOf({ id, metadata }: Pick<RetrievedPaymentIntent, 'id' | 'metadata'>): string {
  const { order_id, description } = metadata
  const texts = [typeof order_id === 'number' ? String(order_id) : order_id, description]
  for (const text of texts) {
    const title = typeof text === 'string' ? cleanText(text, longestTitle).trim() : ''
    if (title) return title
  }
  return shorten(id)
}
