import type { Intent } from '../../service/parseIntent.ts'
import type { View } from '../view.ts'

type Texts = Pick<View, 't' | 'amount' | 'merchant'>

/** The message about a transfer close to the amount that matches no order; empty if there is none. */
export function nearMisses(view: Texts, intent: Intent): string {
  const nearMissText = nearMiss(view, intent)
  return nearMissText && `${nearMissText} ${view.t('near.once')}`
}

/** The same without the warning, for a screen that already warns. */
export function nearMiss({ t, amount, merchant }: Texts, intent: Intent): string {
  const [newest] = intent.near_misses
  if (!newest) return ''
  return t('near', { amount: amount(intent, BigInt(newest.amount_units)), merchant })
}
