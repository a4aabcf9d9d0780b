import type { Screen } from '../../../checkout/screen.ts'
import type { View } from '../../view.ts'
import { nearMiss } from '../nearMisses.ts'
import type { StatusContent } from '../statusContent.ts'
import { end } from './statusActions.ts'

/** An intent that has expired or was canceled takes no payment. */
export function endedContent(
  shown: Screen & { name: 'expired' | 'canceled' },
  view: View,
): StatusContent {
  const { t, merchant } = view
  const { name, lastPayment, intent } = shown
  const key =
    lastPayment === 'unknown' ? (`${name}.text` as const) : (`ended.${lastPayment}` as const)
  const text = t(key, { merchant })
  const nearMissText = nearMiss(view, intent)
  return {
    title: t(`${name}.title`),
    text: nearMissText || text,
    more: nearMissText && text,
    contact: intent,
    icon: name === 'expired' ? 'clock' : 'alert',
    tx: shown,
    ...end(view),
  }
}
