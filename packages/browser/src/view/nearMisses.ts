import type { Intent } from '../parseIntent.ts'
import type { View } from './view.ts'

/** What is said of transfers that reached the shop, close to the amount, and name no order; nothing when there are none. */
export function nearMisses(
  { say, amount, merchant }: Pick<View, 'say' | 'amount' | 'merchant'>,
  intent: Intent,
): string {
  const [newest] = intent.near_misses
  if (!newest) return ''
  return say('near', { amount: amount(intent, BigInt(newest.amount_units)), merchant })
}
