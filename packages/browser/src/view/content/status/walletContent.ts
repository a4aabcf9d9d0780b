import type { Screen } from '../../../checkout/screen.ts'
import { priceDue } from '../../../lib/amount.ts'
import type { Intent } from '../../../service/parseIntent.ts'
import type { Order } from '../../../wallet/encodeTransfer.ts'
import type { View } from '../../view.ts'
import { nearMisses } from '../nearMisses.ts'
import type { StatusContent } from '../statusContent.ts'
import { tagNote } from '../tagNote.ts'
import { sentences } from './sentences.ts'
import { insist } from './statusActions.ts'

/** When to hint that a wallet window may be hidden. */
const quietWalletMs = 20_000
/** When to offer more than the hint: hardware wallets take a while. */
const silentWalletMs = 60_000

/** A wallet has a request of this page open. */
export function walletContent(shown: Screen & { name: 'wallet' }, view: View): StatusContent {
  const { t, actions, waitedMs } = view
  const { intent, wallet, step, order } = shown
  const isSilent = waitedMs > silentWalletMs
  const values = { wallet: view.walletName(wallet), network: intent.network.name }
  const text = order?.authorization ? 'confirming.sign' : (`${step}.text` as const)
  const payUnsigned = () => actions.payUnsigned(wallet)
  const unsigned = order?.authorization
    ? [{ label: t('unsigned'), run: payUnsigned, quiet: true as const }]
    : []
  return {
    title: t(`${step}.title`, values),
    text: t(text, values),
    hint: waitedMs > quietWalletMs && sentences(t('quiet_wallet'), t('blocked'), t('hardware')),
    note: order ? noteOf(intent, order, view) : '',
    wallet,
    sum: { intent, units: order?.amount ?? priceDue(intent) },
    payer: order?.payer,
    actions: [
      ...(isSilent ? [{ label: t('wake', values), run: actions.reopenWallet }, ...unsigned] : []),
      { label: t('back'), run: actions.back, quiet: true },
    ],
  }
}

/** A wallet has a payment request, and this page no longer waits for it. */
export function requestedContent(shown: Screen & { name: 'requested' }, view: View): StatusContent {
  const { t } = view
  return {
    title: t('requested.title'),
    text: t('requested.text'),
    more: sentences(t('requested.once'), nearMisses(view, shown.intent)),
    // The wallet is unknown for requests of another tab or an earlier page.
    wallet: shown.wallet ?? { icon: null },
    actions: [insist(view)],
  }
}

/** Explains the fee, and an amount above the price. */
function noteOf(intent: Intent, { amount, fee }: Order, view: View): string {
  const { t, fee: format } = view
  const network =
    fee !== null && (fee ? t('fee.about', { fee: format(intent, fee) }) : t('fee.none'))
  return [tagNote(intent, amount, view), network].filter(Boolean).join(' · ')
}
