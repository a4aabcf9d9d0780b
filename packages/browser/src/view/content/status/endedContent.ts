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
  const { name, moved, intent } = shown
  const key = moved === 'unknown' ? (`${name}.text` as const) : (`ended.${moved}` as const)
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

/** The service knows no such intent, or the checkout does not support its token or chain. */
export function missingContent(
  { name }: Screen & { name: 'not_found' | 'unknown_token' },
  view: View,
): StatusContent {
  const { t } = view
  return {
    title: t(`${name}.title`),
    text: t(`${name}.text`),
    ...end(view),
    ...(name === 'not_found'
      ? { icon: 'search', ...view.page?.missing(view) }
      : { icon: 'alert', tone: 'warn' }),
  }
}
