import { overpaidBy, priceDue } from '../amount.ts'
import { en, type Messages } from '../locales/en.ts'
import type { Intent } from '../parseIntent.ts'
import { problemDetail, type Screen } from '../screen.ts'
import type { Wallet } from '../wallet/discoverWallets.ts'
import type { Problem } from '../wallet/problem.ts'
import type { IconName } from './Icon.tsx'
import { nearMisses } from './nearMisses.ts'
import type { View } from './view.ts'

export type Figure = {
  title: string
  text: string
  /** A second thing that is to be known. */
  more?: string | false
  /** What to do when nothing has happened for long. */
  hint?: string | false
  /** An icon in a disc, else a ring: filled up to a count, or turning around a wallet. */
  icon?: IconName
  tone?: 'ok' | 'warn'
  count?: { done: number; of: number }
  wallet?: Pick<Wallet, 'icon'>
  /** Of three: connect, switch and check, confirm. */
  step?: number
  /** The amount that is asked for. */
  sum?: { intent: Intent; units: bigint }
  /** Link to the transaction, where the chain has an explorer. */
  link?: string | null
  note?: string
  /** The first is the one to expect, unless it is `quiet`. */
  actions?: readonly Action[]
}

type Action = { label: string; run: () => void; quiet?: true }

const walletSteps = { connecting: 1, switching: 2, checking: 2, confirming: 3 }

/** A wallet that asks nothing that its owner can see, and a payment that the chain does not show. */
const quietWalletMs = 20_000
const slowPaymentMs = 60_000

/** What a screen that says one thing says; every screen but the one to pay on. */
export function figure(shown: Exclude<Screen, { name: 'pay' }>, view: View): Figure {
  const { say, merchant, state, actions, amount, number, waitedMs } = view
  switch (shown.name) {
    case 'loading': {
      const cause = state.trouble?.cause
      return cause
        ? { title: say(`${cause}.title`), text: say('trying') }
        : { title: say('loading'), text: '' }
    }
    case 'wallet': {
      const { intent, step } = shown
      const values = { wallet: view.walletName(shown.wallet), network: intent.network.name }
      return {
        title: say(`${step}.title`, values),
        text: say(`${step}.text`, values),
        hint: waitedMs > quietWalletMs && say('quiet_wallet'),
        note: shown.amount !== null ? tagOf(intent, shown.amount, view) : '',
        wallet: shown.wallet,
        sum: { intent, units: shown.amount ?? priceDue(intent) },
        step: walletSteps[step],
        actions: [{ label: say('back'), run: actions.back, quiet: true }],
      }
    }
    case 'asked':
      return {
        title: say('asked.title'),
        text: say('asked.text'),
        more: say('asked.once'),
        // Of a request of another tab, or of before, nobody here knows the wallet.
        wallet: shown.wallet ?? { icon: null },
        actions: [insist(view)],
      }
    case 'problem':
      return {
        ...problemText(shown.problem, shown.intent, view),
        // Another request than the one that this is about.
        more: sentences(
          shown.mayPay && !aboutSent(shown.problem) && say('asked.before'),
          nearMisses(view, shown.intent),
        ),
        icon: 'alert',
        tone: 'warn',
        sum: { intent: shown.intent, units: priceDue(shown.intent) },
        ...waysOn(shown, view),
      }
    case 'sent': {
      const { intent, how } = shown
      const values = { network: intent.network.name }
      const slow = waitedMs > slowPaymentMs && intent.status === 'requires_payment'
      const as = how === 'resumed' ? 'sent' : how
      return {
        title: say(`${as}.title`),
        text: slow ? say('sent.slow') : say(`${as}.text`, values),
        more: sentences(slow && say('look'), nearMisses(view, intent)),
        link: transactionLink(shown),
        ...(slow ? { actions: [insist(view)] } : leaveNote(view)),
      }
    }
    case 'confirming': {
      const of = shown.intent.confirmations_required
      // Confirmations go on counting past what is asked for.
      const done = Math.min(shown.intent.confirmations, of)
      return {
        title: say('seen.title'),
        text: say('seen.text', { done: number(done), of: number(of) }),
        ...(done ? { count: { done, of } } : {}),
        more: shown.stillAsks && say('decline'),
        link: transactionLink(shown),
        ...leaveNote(view),
      }
    }
    case 'paid': {
      const { intent, again } = shown
      const paid = amount(intent, BigInt(intent.amount_received_units))
      const over = overpaidBy(intent)
      const more = over > 0n && say('paid.over', { amount: amount(intent, over), merchant })
      return {
        title: say('paid.title'),
        text: say('paid.text', { amount: paid, merchant }),
        more: sentences(again && say('paid.again'), more, shown.stillAsks && say('decline')),
        icon: 'check',
        tone: 'ok',
        link: transactionLink(shown),
        ...end(view, say('done')),
      }
    }
    case 'leaving': {
      const key = shown.sent ? 'leaving.sent' : 'leaving.asked'
      return {
        title: say(`${key}.title`),
        text: say(`${key}.text`, { merchant }),
        icon: 'clock',
        actions: [
          { label: say('leaving.stay'), run: actions.stay },
          { label: say('leaving.close'), run: view.close },
        ],
      }
    }
    case 'expired':
    case 'canceled': {
      const { name, moved, intent } = shown
      const texts = { sent: 'ended.sent', asked: 'ended.asked', unknown: `${name}.text` } as const
      return {
        title: say(`${name}.title`),
        text: say(texts[moved], { merchant }),
        more: nearMisses(view, intent),
        icon: name === 'expired' ? 'clock' : 'close',
        link: transactionLink(shown),
        ...end(view, say('close')),
      }
    }
    case 'unknown_token':
      return {
        title: say('unknown_token.title'),
        text: say('unknown_token.text'),
        icon: 'alert',
        tone: 'warn',
        ...end(view, say('close')),
      }
    default: {
      const key = view.page === 'linkless' ? 'no_link' : shown.name
      return {
        title: say(`${key}.title`),
        text: say(`${key}.text`, { merchant }),
        icon: 'search',
        ...end(view, say('close')),
      }
    }
  }
}

/** What can be done about a problem. Invariant: nothing that may be paid twice is offered first. */
function waysOn({ problem, mayPay, wallet }: Screen & { name: 'problem' }, view: View) {
  const { say, actions } = view
  if (mayPay) return { actions: [insist(view)] }
  // Whoever pays it, and from wherever: the token refuses.
  if (problem.recipient) return end(view, say('close'))
  const retry = { label: say('retry'), run: () => actions.pay(wallet) }
  const other = { label: say('other_way'), run: actions.back }
  // Whatever waits in the wallet is answered there first.
  const waits = problem.code === 'request_pending'
  return { actions: [waits ? { ...retry, quiet: true as const } : retry, other] }
}

/** Whether a problem is itself about something that may have been sent. */
function aboutSent({ unsure, code }: Problem): boolean {
  return unsure === true || /^tx_/.test(code)
}

/** The only way to a second request: quiet, and never the first thing to press. */
function insist({ say, actions }: View): Action {
  return { label: say('insist'), run: actions.insist, quiet: true }
}

/** Why a wallet asks for another amount than the price. */
function tagOf(intent: Intent, units: bigint, { say, amount }: View): string {
  const price = priceDue(intent)
  if (units <= price) return ''
  return say('tag', { price: amount(intent, price), tag: amount(intent, units - price) })
}

function sentences(...all: readonly (string | false)[]): string {
  return all.filter(Boolean).join(' ')
}

/** A modal is closed; a page can only be left. */
function end({ page, say, close }: View, label: string): Partial<Figure> {
  return page ? { note: say('paid.leave') } : { actions: [{ label, run: close }] }
}

function leaveNote({ page, say }: View): Partial<Figure> {
  return { note: say(page ? 'page.note' : 'seen.note') }
}

function problemText(problem: Problem, intent: Intent, { say, amount, merchant }: View) {
  const { name: network, native_symbol: symbol } = intent.network
  const key = problemKey(problem)
  const short = problem.shortUnits
  const facts: Partial<Record<string, string | undefined>> = {
    insufficient_token:
      short === undefined ? undefined : say('short', { amount: amount(intent, short), network }),
    insufficient_gas: say('gas', { network, symbol }),
    wrong_chain: say('switch_to', { network }),
    chain_add_failed: say('switch_to', { network }),
  }
  const text = say(problem.unsure ? 'look' : `${key}.text`, { merchant })
  const fact = facts[key]
  return {
    title: say(`${key}.title`, { token: intent.token_symbol, network }),
    text: fact ? `${fact} ${text}` : text,
  }
}

type Told<Key> = Key extends `${infer Name}.text` ? Name : never

/** Under which name the words for a problem are found. */
function problemKey(problem: Problem): Told<keyof Messages> {
  const detail = problemDetail(problem)
  return `${detail}.text` in en ? (detail as Told<keyof Messages>) : 'internal_error'
}

function transactionLink({ intent, txHash }: { intent: Intent; txHash: string | null }) {
  const { explorer_url } = intent.network
  return txHash && explorer_url && `${explorer_url.replace(/\/$/, '')}/tx/${txHash}`
}
