import type { Screen } from '../../../checkout/screen.ts'
import type { View } from '../../view.ts'
import type { StatusContent } from '../statusContent.ts'
import { end } from './statusActions.ts'

/**
 * A transfer close to the amount has arrived. Invariant: going on to pay is never first, since a payer who sent this would
 * pay twice.
 */
export function nearContent(shown: Screen & { name: 'near' }, view: View): StatusContent {
  const { t, merchant, actions, amount } = view
  const { intent, units, txHash, isMine } = shown
  const values = { amount: amount(intent, units), merchant }
  const key = isMine ? 'near.mine' : 'near'
  const answer = (whose: 'mine' | 'other') => () => actions.answerMiss(txHash, whose)
  const ask = { actions: [{ label: t('near.mine'), run: answer('mine') }] }
  const { actions: first = [], ...way } = isMine ? end(view) : ask
  return {
    title: t(`${key}.title`, values),
    text: t(`${key}.text`, values),
    icon: isMine ? 'clock' : 'search',
    tx: shown,
    contact: intent,
    ...way,
    actions: [...first, { label: t('near.other'), run: answer('other'), quiet: true }],
  }
}
