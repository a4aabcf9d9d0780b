import { signedBefore } from '../../checkout/doubts.ts'
import type { Screen } from '../../checkout/screen.ts'
import { overpaidBy, priceDue } from '../../lib/amount.ts'
import { toJson } from '../../lib/toJson.ts'
import type { Intent } from '../../service/parseIntent.ts'
import { gaslessOf } from '../../wallet/authorization.ts'
import type { Problem } from '../../wallet/problem.ts'
import type { Wallet } from '../../wallet/provider/discoverWallets.ts'
import type { Order } from '../../wallet/transfer.ts'
import type { IconName } from '../parts/Icon.tsx'
import type { VNode } from '../parts/patch.ts'
import { shorten, type View } from '../view.ts'
import { nearMisses } from './nearMisses.ts'
import { problemText } from './problemText.ts'
import { orderOf } from './supportLink.ts'
import { tagNote } from './tagNote.ts'

export type StatusContent = {
  title: string
  text: string
  /** A second paragraph. */
  more?: string | false
  /** Shown after a long wait. */
  hint?: string | false
  /** An icon in a disc; without one, a ring filled up to `count` or rotating around `wallet`. */
  icon?: IconName
  tone?: 'ok' | 'warn'
  count?: { done: number; of: number }
  wallet?: Pick<Wallet, 'icon'>
  /** The requested amount. */
  sum?: { intent: Intent; units: bigint }
  /** The account that pays. */
  payer?: string | null | undefined
  /** What was paid, in large type in place of the text, and facts about it. */
  paid?: { amount: string; facts: readonly (string | null)[] }
  /** The transaction, with a link to it where the chain has an explorer. */
  tx?: { intent: Intent; txHash: string | null }
  /** Link to the receipt. */
  receipt?: string | null
  note?: string
  /** The merchant's contact is shown, with this order's id. */
  contact?: Intent
  /** The way back to the shop, drawn by the page that knows it. */
  way?: VNode | null
  /** The first is primary unless it is `quiet`. */
  actions?: readonly Action[]
}

type Action = { label: string; run: () => void; quiet?: true }

/** Problems that are the payer's own decision. */
const chosen = /^(user_rejected|wallet_unauthorized)$/

/** When to hint that a wallet window may be hidden, or that a payment is slow. */
const quietWalletMs = 20_000
/** When to offer more than the hint: hardware wallets take a while. */
const silentWalletMs = 60_000
const slowPaymentMs = 60_000

/** The content of every screen but `pay`. */
export function statusContent(shown: Exclude<Screen, { name: 'pay' }>, view: View): StatusContent {
  const { t, merchant, state, actions, amount, number, time, waitedMs } = view
  switch (shown.name) {
    case 'loading': {
      const cause = state.trouble?.cause
      return cause
        ? { title: t(`${cause}.title`), text: t('trying') }
        : { title: t('loading'), text: '' }
    }
    case 'wallet': {
      const { intent, step, order } = shown
      const isSilent = waitedMs > silentWalletMs
      const values = { wallet: view.walletName(shown.wallet), network: intent.network.name }
      const key = step === 'answering' ? 'request_pending' : step
      const text = order?.authorization ? 'confirming.sign' : (`${key}.text` as const)
      return {
        title: t(`${key}.title`, values),
        text: t(text, values),
        hint: waitedMs > quietWalletMs && sentences(t('quiet_wallet'), t('blocked'), t('hardware')),
        note: order ? noteOf(intent, order, view) : '',
        wallet: shown.wallet,
        sum: { intent, units: order?.amount ?? priceDue(intent) },
        payer: order?.payer,
        actions: [
          ...(isSilent ? [{ label: t('wake', values), run: actions.again }] : []),
          ...(isSilent && order?.authorization
            ? [
                {
                  label: t('unsigned'),
                  run: () => actions.payUnsigned(shown.wallet),
                  quiet: true as const,
                },
              ]
            : []),
          { label: t('back'), run: actions.back, quiet: true },
        ],
      }
    }
    case 'asked':
      return {
        title: t('asked.title'),
        text: t('asked.text'),
        more: sentences(t('asked.once'), nearMisses(view, shown.intent)),
        // The wallet is unknown for requests of another tab or an earlier page.
        wallet: shown.wallet ?? { icon: null },
        actions: [insist(view)],
      }
    case 'problem':
      return {
        ...problemText(shown.problem, shown.intent, view),
        // About an earlier request, not the one with this problem.
        more: sentences(
          shown.mayPay && !aboutSent(shown.problem) && t('asked.before'),
          nearMisses(view, shown.intent),
        ),
        // What the payer chose is no cause for alarm.
        ...(chosen.test(shown.problem.code)
          ? { icon: 'wallet' as const }
          : { icon: 'alert' as const, tone: 'warn' as const }),
        sum: { intent: shown.intent, units: priceDue(shown.intent) },
        way:
          (shown.problem.code === 'insufficient_token' &&
            view
              .byHand()
              ?.GetUsdc({ view, intent: shown.intent, units: priceDue(shown.intent) })) ||
          null,
        ...problemActions(shown, view),
      }
    case 'near':
      return near(shown, view)
    case 'sent': {
      const { intent, how } = shown
      const { authorization: signed } = intent
      const values = { network: intent.network.name }
      const slow = waitedMs > slowPaymentMs && intent.status === 'requires_payment'
      if (how === 'interrupted') return interrupted(view, intent, slow)
      const as = how === 'resumed' ? 'sent' : how
      return {
        title: t(`${as}.title`),
        text: slow ? t('sent.slow') : t(`${as}.text`, values),
        more: sentences(
          slow && how !== 'relayed' && t('look'),
          // Anybody can send it again until its time is over.
          how === 'relayed' &&
            signed?.tx_hash &&
            t('relayed.until', { time: time(signed.valid_before) }),
          shown.stillAsks && t('decline'),
          nearMisses(view, intent),
        ),
        tx: shown,
        ...sentActions(how, slow, view),
      }
    }
    case 'confirming': {
      const of = shown.intent.confirmations_required
      // Counting goes on past the required confirmations.
      const done = Math.min(shown.intent.confirmations, of)
      return {
        title: t('seen.title'),
        text: t('seen.text', { done: number(done), of: number(of) }),
        ...(done ? { count: { done, of } } : {}),
        more: shown.stillAsks && t('decline'),
        tx: shown,
        ...leaveNote(view),
      }
    }
    case 'paid': {
      const { intent, again } = shown
      const paid = amount(intent, BigInt(intent.amount_received_units))
      const over = overpaidBy(intent)
      const more = over > 0n && t('paid.over', { amount: amount(intent, over), merchant })
      return {
        title: t('paid'),
        paid: { amount: paid, facts: paidFacts(intent, view) },
        text: t('paid.text', { amount: paid, merchant }),
        more: sentences(again && t('paid.again'), more, shown.stillAsks && t('decline')),
        icon: 'check',
        tone: 'ok',
        tx: shown,
        receipt: receiptLink(intent, view),
        contact: intent,
        ...end(view, t('done')),
      }
    }
    case 'leaving': {
      const key = `leaving.${shown.sent ? 'sent' : shown.signs ? 'signing' : 'asked'}` as const
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
    case 'expired':
    case 'canceled': {
      const { name, moved, intent } = shown
      const texts = { sent: 'ended.sent', asked: 'ended.asked', unknown: `${name}.text` } as const
      return {
        title: t(`${name}.title`),
        text: t(texts[moved], { merchant }),
        more: nearMisses(view, intent),
        contact: intent,
        icon: name === 'expired' ? 'clock' : 'alert',
        tx: shown,
        ...end(view, t('close')),
      }
    }
    case 'unknown_token':
      return {
        title: t('unknown_token.title'),
        text: t('unknown_token.text'),
        icon: 'alert',
        tone: 'warn',
        ...end(view, t('close')),
      }
    default:
      return {
        title: t('not_found.title'),
        text: t('not_found.text'),
        icon: 'search',
        ...end(view, t('close')),
        ...view.page?.missing(view),
      }
  }
}

/** Invariant: going on to pay is never first, since a payer who sent this would pay twice. */
function near(shown: Screen & { name: 'near' }, view: View): StatusContent {
  const { t, merchant, actions, amount } = view
  const { intent, units, txHash, isMine } = shown
  const values = { amount: amount(intent, units), merchant }
  const answer = (whose: 'mine' | 'other') => () => actions.answerMiss(txHash, whose)
  const other = { label: t('near.other'), run: answer('other'), quiet: true as const }
  const content = { icon: 'search', tx: shown, contact: intent } as const
  if (!isMine) {
    return {
      ...content,
      title: t('near.title', values),
      text: t('near.text', values),
      actions: [{ label: t('near.mine'), run: answer('mine') }, other],
    }
  }
  const { actions: ends = [], ...way } = end(view, t('close'))
  return {
    ...content,
    ...{ title: t('near.mine.title'), text: t('near.mine.text', values), icon: 'clock' },
    ...way,
    actions: [...ends, other],
  }
}

/** The actions for a problem. Invariant: an action that may pay twice is never first. */
function problemActions({ problem, mayPay, wallet }: Screen & { name: 'problem' }, view: View) {
  const { t, actions } = view
  // The account has paid before: the payment shows once the network has it.
  if (mayPay || problem.code === 'duplicate_submission') return { actions: [insist(view)] }
  // The token refuses every payment to a blocked recipient.
  if (problem.recipient) return end(view, t('close'))
  const retry = { label: t('retry'), run: () => actions.pay(wallet) }
  const other = { label: t('other_way'), run: actions.back }
  // The request that waits in the wallet is answered first.
  const waits = problem.code === 'request_pending'
  // A wallet may have somebody else pay the fee.
  const anyway = { label: t('anyway'), run: () => actions.pay(wallet, true) }
  const onward = problem.code === 'insufficient_gas' ? [anyway] : []
  return { actions: [waits ? { ...retry, quiet: true as const } : retry, ...onward, other] }
}

/** Whether the problem is about a payment that may have been sent. */
function aboutSent({ unsure, code }: Problem): boolean {
  return unsure === true || /^tx_/.test(code)
}

/** The only action that leads to a second request; never primary. */
function insist({ t, actions }: View): Action {
  return { label: t('insist'), run: actions.insist, quiet: true }
}

/** What is signed or handed in pays by itself; of another payment, only the payer knows that it was not sent. */
function sentActions(
  how: (Screen & { name: 'sent' })['how'],
  slow: boolean,
  view: View,
): Partial<StatusContent> {
  if (how === 'signed' || (how === 'other_tab' && !slow)) return {}
  return slow && how !== 'relayed' ? { actions: [insist(view)] } : leaveNote(view)
}

/** A second signature of the same account pays no second time, so it is asked for at once. */
function interrupted(view: View, intent: Intent, slow: boolean): StatusContent {
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

/** Explains the fee, and an amount above the price. */
function noteOf(intent: Intent, { amount, fee }: Order, view: View): string {
  const { t, fee: format } = view
  const network =
    fee !== null && (fee ? t('fee.about', { fee: format(intent, fee) }) : t('fee.none'))
  return [tagNote(intent, amount, view), network].filter(Boolean).join(' · ')
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

function sentences(...all: readonly (string | false | null | undefined)[]): string {
  return all.filter(Boolean).join(' ')
}

/** A modal can be closed; a page has a way on of its own. */
function end(view: View, label: string): Partial<StatusContent> {
  return view.page?.end(view) ?? { actions: [{ label, run: view.close }] }
}

function leaveNote({ page, t }: View): Partial<StatusContent> {
  return { note: t(page ? 'page.note' : 'seen.note') }
}

/** Receipts with longer metadata go without it, since some programs cut long links. */
const metadataAtMost = 2_000

/** The receipt is in the fragment, which browsers keep to themselves. */
function receiptLink({ receipt, metadata }: Intent, { baseUrl }: View): string | null {
  if (!receipt) return null
  const isShort = toJson(metadata).length <= metadataAtMost
  const text = toJson(isShort ? { ...receipt, metadata } : receipt)
  return `${baseUrl}/receipt#${encodeURIComponent(text)}`
}
