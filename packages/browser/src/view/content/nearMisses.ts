import type { Intent } from '../../service/parseIntent.ts'
import type { View } from '../view.ts'

/** The message about a transfer close to the amount that matches no order; empty if there is none. */
export function nearMisses(
  { t, amount, merchant }: Pick<View, 't' | 'amount' | 'merchant'>,
  intent: Intent,
): string {
  const [newest] = intent.near_misses
  if (!newest) return ''
  return t('near', { amount: amount(intent, BigInt(newest.amount_units)), merchant })
}
