import type { Intent } from '../parseIntent.ts'
import type { Screen } from '../screen.ts'
import type { Wallet } from '../wallet/discoverWallets.ts'
import type { Problem } from '../wallet/problem.ts'
import type { IconName } from './Icon.tsx'
import type { View } from './view.ts'

export type Figure = {
  title: string
  text: string
  /** An icon in a disc, else a ring: filled up to a count, or turning around a wallet. */
  icon?: IconName
  tone?: 'ok' | 'warn'
  count?: { done: number; of: number }
  wallet?: Wallet
  /** Of three: connect, switch and check, confirm. */
  step?: number
  /** Shows the amount that is asked for. */
  intent?: Intent
  /** Link to the transaction, where the chain has an explorer. */
  link?: string | null
  note?: string
  /** The first is the one to expect. */
  actions?: readonly { label: string; run: () => void }[]
}

export const walletSteps = { connecting: 1, switching: 2, checking: 2, confirming: 3 }

/** What a screen that says one thing says; every screen but the one to pay on. */
export function figure(shown: Exclude<Screen, { name: 'pay' }>, view: View): Figure {
  const { messages, merchant, state, actions, amount, close } = view
  switch (shown.name) {
    case 'loading':
      return {
        title: messages.loading,
        text: state.trouble ? messages.trouble[state.trouble.cause] : '',
      }
    case 'wallet': {
      const { intent, wallet, step } = shown
      return {
        ...messages.step[step](view.walletName(wallet), intent.network.name),
        wallet,
        intent,
        step: walletSteps[step],
        actions: [{ label: messages.back, run: actions.back }],
      }
    }
    case 'problem':
      return {
        ...problemText(shown.problem, shown.intent, view),
        icon: 'alert',
        tone: 'warn',
        intent: shown.intent,
        actions: [
          { label: messages.retry, run: () => actions.pay(shown.wallet) },
          { label: messages.otherWay, run: actions.back },
        ],
      }
    case 'sent': {
      const { title, text } =
        messages[shown.intent.exceptions.includes('reorged') ? 'reorged' : 'sent']
      return {
        title,
        text: text(shown.intent.network.name),
        link: transactionLink(shown),
        note: messages.confirming.note,
      }
    }
    case 'confirming': {
      const { title, text, note } = messages.confirming
      const of = shown.intent.confirmations_required
      // Confirmations go on counting past what is asked for.
      const done = Math.min(shown.intent.confirmations, of)
      const count = done ? { count: { done, of } } : {}
      return { title, text: text(done, of), ...count, link: transactionLink(shown), note }
    }
    case 'paid': {
      const { title, text, again, done } = messages.paid
      const paid = text(amount(shown.intent, BigInt(shown.intent.amount_received_units)), merchant)
      return {
        title,
        text: shown.again ? `${paid}. ${again}` : paid,
        icon: 'check',
        tone: 'ok',
        link: transactionLink(shown),
        actions: [{ label: done, run: close }],
      }
    }
    case 'leaving': {
      const { title, text } = messages.leaving[shown.sent ? 'sent' : 'asked']
      return {
        title,
        text: text(merchant),
        icon: 'clock',
        actions: [
          { label: messages.leaving.stay, run: actions.stay },
          { label: messages.leaving.close, run: close },
        ],
      }
    }
    case 'expired': {
      const { title, text, late } = messages.expired
      const moneySent = shown.txHash !== null || shown.intent.amount_received_units > 0
      return {
        title,
        text: (moneySent ? late : text)(merchant),
        icon: 'clock',
        link: transactionLink(shown),
        actions: [{ label: messages.close, run: close }],
      }
    }
    default: {
      const { title, text } = messages[shown.name]
      const icon = shown.name === 'canceled' ? 'close' : 'search'
      const actions = [{ label: messages.close, run: close }]
      return { title, text: text(merchant), icon, actions }
    }
  }
}

function problemText({ code, shortUnits }: Problem, intent: Intent, { messages, amount }: View) {
  const known: Partial<Record<string, { title: string; text: string }>> = messages.problem
  const { title, text } = known[code] ?? messages.problem.other
  const { name, native_symbol } = intent.network
  const facts = {
    insufficient_token: shortUnits && messages.short(amount(intent, shortUnits), name),
    insufficient_gas: messages.gas(native_symbol, name),
    wrong_chain: messages.switchTo(name),
    chain_add_failed: messages.switchTo(name),
  }
  const fact = facts[code as keyof typeof facts]
  return { title, text: fact ? `${fact} ${text}` : text }
}

function transactionLink({ intent, txHash }: { intent: Intent; txHash: string | null }) {
  const { explorer_url } = intent.network
  return txHash && explorer_url && `${explorer_url.replace(/\/$/, '')}/tx/${txHash}`
}
