import { isUnderpaid } from './amount.ts'
import type { Attempt, CheckoutState, Rail, SentHow } from './checkout.ts'
import type { Intent } from './parseIntent.ts'
import type { Wallet } from './wallet/discoverWallets.ts'
import type { WalletStep } from './wallet/payWithWallet.ts'
import type { Problem } from './wallet/problem.ts'

export type Screen =
  | { name: 'loading' }
  | { name: 'not_found' }
  | { name: 'pay'; intent: Intent; rail: Rail; rails: readonly Rail[] }
  | { name: 'wallet'; intent: Intent; wallet: Wallet; step: WalletStep }
  | { name: 'problem'; intent: Intent; wallet: Wallet; problem: Problem }
  | { name: 'sent'; intent: Intent; how: SentHow | 'reorged'; txHash: string | null }
  | { name: 'confirming'; intent: Intent; txHash: string | null }
  | { name: 'leaving'; intent: Intent; sent: boolean }
  | { name: 'paid'; intent: Intent; again: boolean; txHash: string | null }
  | { name: 'expired' | 'canceled'; intent: Intent; moneySent: boolean; txHash: string | null }

/** What the payer sees in this state. The service's word comes before the wallet's. */
export function screen(state: CheckoutState): Screen {
  const { intent, attempt } = state
  if (state.notFound) return { name: 'not_found' }
  if (!intent) return { name: 'loading' }
  const txHash = paymentHash(intent, attempt)
  switch (intent.status) {
    case 'succeeded':
      if (isReorged(intent)) return { name: 'sent', intent, how: 'reorged', txHash }
      return { name: 'paid', intent, again: state.openedPaid, txHash }
    case 'expired':
    case 'canceled': {
      const moneySent =
        txHash !== null || attempt?.step === 'sent' || intent.amount_received_units > 0
      return { name: intent.status, intent, moneySent, txHash }
    }
    case 'pending_confirmations':
      if (state.leaving) return { name: 'leaving', intent, sent: true }
      return { name: 'confirming', intent, txHash }
    case 'requires_payment':
      return unpaid(state, intent, attempt)
    default:
      // Of a later service: to ask for money is not the answer to everything.
      return { name: 'loading' }
  }
}

function unpaid(state: CheckoutState, intent: Intent, attempt: Attempt | null): Screen {
  if (attempt?.step === 'failed') {
    return { name: 'problem', intent, wallet: attempt.wallet, problem: attempt.problem }
  }
  const how = sentHow(state, intent, attempt)
  if (state.leaving && (attempt || how)) return { name: 'leaving', intent, sent: how !== null }
  if (how) {
    // Of an underpaid intent the service knows the first part.
    const txHash = attempt?.step === 'sent' ? attempt.txHash : intent.tx_hash
    return { name: 'sent', intent, how, txHash }
  }
  if (attempt && attempt.step !== 'sent') {
    return { name: 'wallet', intent, wallet: attempt.wallet, step: attempt.step }
  }
  const rails = railsOf(intent)
  return { name: 'pay', intent, rails, rail: railOf(state, intent, rails) }
}

/** How we know that money is under way; `reorged` when the chain took back what it had shown. */
function sentHow(
  { insists }: CheckoutState,
  intent: Intent,
  attempt: Attempt | null,
): SentHow | 'reorged' | null {
  const sent = attempt?.step === 'sent' ? attempt.how : null
  if (insists || (attempt && !sent) || isUnderpaid(intent)) return sent
  return isReorged(intent) ? 'reorged' : sent
}

/** Whether the chain has taken back what the intent had received. */
function isReorged({ exceptions }: Intent): boolean {
  return exceptions.includes('reorged')
}

function railsOf(intent: Intent): readonly Rail[] {
  // By hand, only the one reserved amount finds its intent: the rest of an underpaid one would not.
  return intent.manual && !isUnderpaid(intent) ? ['wallets', 'qr'] : ['wallets']
}

function railOf(state: CheckoutState, intent: Intent, rails: readonly Rail[]): Rail {
  if (!rails.includes('qr')) return 'wallets'
  if (state.rail) return state.rail
  return intent.lane === 'manual' || state.wallets.length === 0 ? 'qr' : 'wallets'
}

/** The transaction that pays: as the service saw it, else as the wallet told it. */
export function paymentHash(intent: Intent, attempt: Attempt | null): string | null {
  return intent.tx_hash ?? (attempt?.step === 'sent' ? attempt.txHash : null)
}

/**
 * What to do when the payer asks to close: `warn` tells them that the payment goes on, and `ignore`
 * keeps a stray Esc or tap from taking the checkout away while their wallet asks.
 */
export function onCloseAsked(
  state: CheckoutState,
  by: 'button' | 'gesture',
): 'close' | 'warn' | 'ignore' {
  const shown = screen(state)
  const { name } = shown
  if (name === 'wallet') return by === 'button' ? 'warn' : 'ignore'
  if (name === 'leaving' && !shown.sent && by === 'gesture') return 'ignore'
  return name === 'sent' || name === 'confirming' ? 'warn' : 'close'
}

/** What tells apart the screens of one name. */
export function screenDetail(shown: Screen): string {
  switch (shown.name) {
    case 'pay':
      return shown.rail
    case 'wallet':
      return shown.step
    case 'problem':
      return shown.problem.otherTab ? 'other_tab' : shown.problem.code
    case 'sent':
      return shown.how
    default:
      return ''
  }
}
