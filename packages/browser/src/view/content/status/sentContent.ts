import type { Screen } from '../../../checkout/screen.ts'
import { signedBefore } from '../../../checkout/unresolvedRequests.ts'
import type { Intent } from '../../../service/parseIntent.ts'
import { gaslessOf } from '../../../wallet/authorization.ts'
import { shorten, type View } from '../../view.ts'
import { nearMisses } from '../nearMisses.ts'
import type { StatusContent } from '../statusContent.ts'
import { sentences } from './sentences.ts'
import { insist, leaveNote } from './statusActions.ts'

/** When to hint that a payment is slow. */
const slowPaymentMs = 60_000

/** A payment is on its way to the chain. */
export function sentContent(shown: Screen & { name: 'sent' }, view: View): StatusContent {
  const { t, time, waitedMs } = view
  const { intent, source } = shown
  const { authorization: signed } = intent
  const slow = waitedMs > slowPaymentMs && intent.status === 'requires_payment'
  if (source === 'interrupted') return interruptedContent(view, intent, slow)
  const as = source === 'resumed' ? 'sent' : source
  return {
    title: t(`${as}.title`),
    text: slow ? t('sent.slow') : t(`${as}.text`, { network: intent.network.name }),
    more: sentences(
      slow && source !== 'relayed' && t('look'),
      // Anybody can submit the authorization again until it expires.
      source === 'relayed' &&
        signed?.tx_hash &&
        t('relayed.until', { time: time(signed.valid_before) }),
      shown.isRequesting && t('decline'),
      nearMisses(view, intent),
    ),
    tx: shown,
    ...sentActions(source, slow, view),
  }
}

/** A payment is in a block, and its confirmations are counted. */
export function confirmingContent(
  shown: Screen & { name: 'confirming' },
  view: View,
): StatusContent {
  const { t, number } = view
  const of = shown.intent.confirmations_required
  // Counting goes on past the required confirmations.
  const done = Math.min(shown.intent.confirmations, of)
  return {
    title: t('seen.title'),
    text: t('seen.text', { done: number(done), of: number(of) }),
    ...(done ? { count: { done, of } } : {}),
    more: shown.isRequesting && t('decline'),
    tx: shown,
    ...leaveNote(view),
  }
}

/** A signed or submitted payment needs no second request. Otherwise only the payer knows that nothing was sent. */
function sentActions(
  source: (Screen & { name: 'sent' })['source'],
  slow: boolean,
  view: View,
): Partial<StatusContent> {
  if (source === 'signed' || (source === 'other_tab' && !slow)) return {}
  return slow && source !== 'relayed' ? { actions: [insist(view)] } : leaveNote(view)
}

/** Offers to sign again at once: a second signature of the same account cannot pay twice. */
function interruptedContent(view: View, intent: Intent, slow: boolean): StatusContent {
  const { t, state, actions } = view
  const account = shorten(signedBefore(state) ?? '')
  const signs = gaslessOf(intent, view.now) ? state.wallets : []
  return {
    title: t('leaving.signing.title'),
    text: t('interrupted.text'),
    more: t('other_account.text', { account }),
    icon: 'alert',
    tone: 'warn',
    actions: [
      ...signs.map((wallet) => ({
        label: view.walletName(wallet),
        run: () => actions.pay(wallet),
      })),
      ...(slow ? [insist(view)] : []),
    ],
  }
}
