import type { Screen } from '../../../checkout/screen.ts'
import type { View } from '../../view.ts'
import type { StatusContent } from '../statusContent.ts'
import { end } from './statusActions.ts'

/**
 * A transfer close to the amount has arrived. Invariant: going on to pay is never first, since a payer who sent this would
 * pay twice.
 */
export function nearMissContent(shown: Screen & { name: 'near_miss' }, view: View): StatusContent {
  const { t, merchant, actions, amount } = view
  const { intent, units, txHash, isPayers } = shown
  const values = { amount: amount(intent, units), merchant }
  const key = isPayers ? 'near.mine' : 'near'
  const classify = (owner: 'mine' | 'other') => () => actions.classifyNearMiss(txHash, owner)
  const question = { actions: [{ label: t('near.mine'), run: classify('mine') }] }
  const { actions: first = [], ...ending } = isPayers ? end(view) : question
  return {
    title: t(`${key}.title`, values),
    text: t(`${key}.text`, values),
    icon: isPayers ? 'clock' : 'search',
    tx: shown,
    contact: intent,
    ...ending,
    actions: [...first, { label: t('near.other'), run: classify('other'), quiet: true }],
  }
}
