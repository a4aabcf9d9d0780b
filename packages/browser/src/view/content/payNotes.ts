import { refusal } from '../../checkout/reduceRequest.ts'
import type { Screen } from '../../checkout/screen.ts'
import { isUnderpaid } from '../../lib/amount.ts'
import type { View } from '../view.ts'
import { problemText } from './problemText.ts'

/** A note for each thing to know before paying, such as an open request. */
export function payNotes({ intent, openRequest }: Screen & { name: 'pay' }, view: View): string[] {
  const { t, amount } = view
  const { authorization } = intent
  const received = amount(intent, BigInt(intent.amount_received_units))
  const isRefused = authorization?.status === 'refused'
  const notes = [
    openRequest === 'payment' && t('requested.before'),
    openRequest === 'signature' && t('requested.signing'),
    isRefused &&
      t('titled', {
        title: problemText(refusal(authorization.reason), intent, view).title,
        text: t('user_rejected.text'),
      }),
    isUnderpaid(intent) && t('missing', { received }),
  ]
  return notes.flatMap((note) => note || [])
}
