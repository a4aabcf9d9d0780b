import type { Screen } from '../../../checkout/screen.ts'
import type { View } from '../../view.ts'
import type { StatusContent } from '../statusContent.ts'

/** The payer closes the checkout while a payment goes on. */
export function leavingContent(shown: Screen & { name: 'leaving' }, view: View): StatusContent {
  const { t, merchant, actions } = view
  const key = `leaving.${shown.sent ? 'sent' : shown.signs ? 'signing' : 'requested'}` as const
  return {
    title: t(`${key}.title`),
    text: t(`${key}.text`, { merchant }),
    icon: 'clock',
    actions: [
      { label: t('leaving.stay'), run: actions.stay },
      { label: t('leaving.close'), run: view.close },
    ],
  }
}
