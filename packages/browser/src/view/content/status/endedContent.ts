import type { Screen } from '../../../checkout/screen.ts'
import type { View } from '../../view.ts'
import { nearMisses } from '../nearMisses.ts'
import type { StatusContent } from '../statusContent.ts'
import { end } from './statusActions.ts'

/** An intent that has expired or was canceled takes no payment. */
export function endedContent(
  shown: Screen & { name: 'expired' | 'canceled' },
  view: View,
): StatusContent {
  const { t, merchant } = view
  const { name, moved, intent } = shown
  const texts = { sent: 'ended.sent', asked: 'ended.asked', unknown: `${name}.text` } as const
  return {
    title: t(`${name}.title`),
    text: t(texts[moved], { merchant }),
    more: nearMisses(view, intent),
    contact: intent,
    icon: name === 'expired' ? 'clock' : 'alert',
    tx: shown,
    ...end(view),
  }
}

/** The checkout does not support the intent's token or chain. */
export function unknownTokenContent(_: Screen, view: View): StatusContent {
  const { t } = view
  return {
    title: t('unknown_token.title'),
    text: t('unknown_token.text'),
    icon: 'alert',
    tone: 'warn',
    ...end(view),
  }
}

/** The service knows no such intent. */
export function notFoundContent(_: Screen, view: View): StatusContent {
  const { t } = view
  return {
    title: t('not_found.title'),
    text: t('not_found.text'),
    icon: 'search',
    ...end(view),
    ...view.page?.missing(view),
  }
}
