import type { Screen } from '../../../checkout/screen.ts'
import type { View } from '../../view.ts'
import type { StatusContent } from '../statusContent.ts'
import { end } from './statusActions.ts'

/** The service knows no such intent, or the checkout does not support its token or chain. */
export function unpayableContent(
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
