import type { Screen } from '../../../checkout/screen.ts'
import { overpaidBy } from '../../../lib/amount.ts'
import { toJson } from '../../../lib/toJson.ts'
import type { Intent } from '../../../service/parseIntent.ts'
import { shorten, type View } from '../../view.ts'
import type { StatusContent } from '../statusContent.ts'
import { orderOf } from '../supportLink.ts'
import { sentences } from './sentences.ts'
import { end } from './statusActions.ts'

export function paidContent(shown: Screen & { name: 'paid' }, view: View): StatusContent {
  const { t, merchant, amount } = view
  const { intent, openedPaid } = shown
  const paid = amount(intent, BigInt(intent.amount_received_units))
  const over = overpaidBy(intent)
  const more = over > 0n && t('paid.over', { amount: amount(intent, over), merchant })
  return {
    title: t('paid'),
    paid: { amount: paid, facts: paidFacts(intent, view) },
    text: t('paid.text', { amount: paid, merchant }),
    more: sentences(openedPaid && t('paid.again'), more, shown.isRequesting && t('decline')),
    icon: 'check',
    tone: 'ok',
    tx: shown,
    receipt: receiptLink(intent, view),
    contact: intent,
    ...end(view, 'done'),
  }
}

function paidFacts(intent: Intent, { t, merchant, state, date }: View) {
  const at = intent.receipt?.transfers.at(-1)?.block_timestamp
  return [
    merchant,
    at ? date(at) : null,
    t('order', { order: orderOf(intent) }),
    state.payer && t('from', { account: shorten(state.payer) }),
  ]
}

/** Receipts with longer metadata go without it, since some programs cut long links. */
const maxMetadataLength = 2_000

/** The receipt is in the fragment, which browsers keep to themselves. */
function receiptLink({ receipt, metadata }: Intent, { baseUrl }: View): string | null {
  if (!receipt) return null
  const isShort = toJson(metadata).length <= maxMetadataLength
  const text = toJson(isShort ? { ...receipt, metadata } : receipt)
  return `${baseUrl}/receipt#${encodeURIComponent(text)}`
}
