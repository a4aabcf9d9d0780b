import { amountDue } from './amount.ts'
import type { Intent } from './parseIntent.ts'
import type { Wallet } from './wallet/discoverWallets.ts'
import type { WalletStep } from './wallet/payWithWallet.ts'
import type { Problem } from './wallet/problem.ts'

export type Rail = 'wallets' | 'qr'
/** What the QR holds: a payment request (EIP-681), or the bare address. */
export type QrContent = 'request' | 'address'
export type CopyField = 'amount' | 'address'
type Trouble = 'offline' | 'unreachable' | 'rate_limited' | 'faulty'

/** How we know that a payment was sent: by its wallet, which may have done so before, or from earlier. */
export type SentHow = 'sent' | 'duplicate' | 'resumed'

/** One try to pay with one wallet; one that was sent before this checkout opened has none here. */
export type Attempt =
  | { id: number; wallet: Wallet; step: WalletStep }
  | { id: number; wallet: Wallet; step: 'failed'; problem: Problem }
  | { id: number; wallet: Wallet | null; step: 'sent'; how: SentHow; txHash: string | null }

export type CheckoutState = {
  /** The latest version that the service told; `null` before its first answer. */
  intent: Intent | null
  /** Whether the first answer already said `succeeded`. */
  openedPaid: boolean
  notFound: boolean
  /** The service's clock minus ours, in milliseconds. */
  clockOffsetMs: number
  /** Why the service cannot be heard now, and how many tries in a row have failed. */
  trouble: { cause: Trouble; tries: number } | null
  wallets: readonly Wallet[]
  /** What the payer chose; `null` leaves it to the intent's lane. */
  rail: Rail | null
  qrContent: QrContent
  copied: CopyField | null
  attempt: Attempt | null
  /** The payer chose to pay again, though what was sent before may still arrive. */
  insists: boolean
  /** The payer asked to close while a payment is under way, and is being told that it goes on. */
  leaving: boolean
}

export type CheckoutEvent =
  | { type: 'resolved'; intent: Intent; receivedAt: number }
  | { type: 'not_found' }
  | { type: 'unheard'; cause: Trouble }
  | { type: 'wallets_found'; wallets: readonly Wallet[] }
  | { type: 'rail_chosen'; rail: Rail }
  | { type: 'qr_chosen'; content: QrContent }
  | { type: 'copied'; field: CopyField | null }
  | { type: 'attempt_started'; id: number; wallet: Wallet }
  | { type: 'attempt_moved'; id: number; step: WalletStep }
  | { type: 'attempt_failed'; id: number; problem: Problem }
  | { type: 'attempt_sent'; id: number; wallet: Wallet | null; how: SentHow; txHash: string | null }
  | { type: 'hash_learned'; id: number; txHash: string }
  | { type: 'attempt_lost'; id: number; problem: Problem }
  | { type: 'attempt_left' }
  | { type: 'insisted' }
  | { type: 'leave_asked' }
  | { type: 'stayed' }

export const initialState: CheckoutState = {
  intent: null,
  openedPaid: false,
  notFound: false,
  clockOffsetMs: 0,
  trouble: null,
  wallets: [],
  rail: null,
  qrContent: 'request',
  copied: null,
  attempt: null,
  insists: false,
  leaving: false,
}

/** The checkout's next state. Pure: time and ids come with the events. */
export function reduce(state: CheckoutState, event: CheckoutEvent): CheckoutState {
  switch (event.type) {
    case 'resolved':
      return resolved(state, event.intent, event.receivedAt)
    case 'not_found':
      return { ...state, notFound: true, trouble: null }
    case 'unheard':
      return { ...state, trouble: { cause: event.cause, tries: (state.trouble?.tries ?? 0) + 1 } }
    case 'wallets_found':
      return { ...state, wallets: event.wallets }
    case 'rail_chosen':
      return { ...state, rail: event.rail, attempt: sentOnly(state.attempt) }
    case 'qr_chosen':
      return { ...state, qrContent: event.content }
    case 'copied':
      return { ...state, copied: event.field }
    case 'attempt_started':
      return {
        ...state,
        attempt: { id: event.id, wallet: event.wallet, step: 'connecting' },
        leaving: false,
      }
    case 'attempt_moved': {
      const attempt = ongoing(state, event.id)
      return attempt ? { ...state, attempt: { ...attempt, step: event.step } } : state
    }
    case 'attempt_failed': {
      const attempt = ongoing(state, event.id)
      return attempt ? failed(state, attempt, event.problem) : state
    }
    case 'attempt_sent': {
      const { type, ...sent } = event
      // Counts even when the payer had gone back from it: the money is under way.
      return { ...state, attempt: { ...sent, step: 'sent' }, insists: false }
    }
    case 'hash_learned': {
      const { attempt } = state
      const known = attempt?.id === event.id && attempt.step === 'sent'
      return known ? { ...state, attempt: { ...attempt, txHash: event.txHash } } : state
    }
    case 'attempt_lost': {
      const { attempt } = state
      const sent = attempt?.id === event.id && attempt.step === 'sent' && attempt.wallet
      return sent ? failed(state, { id: event.id, wallet: sent }, event.problem) : state
    }
    case 'attempt_left':
      return { ...state, attempt: null, leaving: false }
    case 'insisted':
      return { ...state, attempt: null, insists: true, leaving: false }
    case 'leave_asked':
      return { ...state, leaving: true }
    case 'stayed':
      return { ...state, leaving: false }
  }
}

function resolved(state: CheckoutState, intent: Intent, receivedAt: number): CheckoutState {
  // Answers can overtake each other; an older one only proves that the service is there.
  if (state.intent && intent.version < state.intent.version) return { ...state, trouble: null }
  const changes = state.intent && amountDue(state.intent) !== amountDue(intent)
  return {
    ...state,
    intent,
    // A part has arrived: nobody goes on paying the whole.
    attempt: changes ? sentOnly(state.attempt) : state.attempt,
    trouble: null,
    openedPaid: state.intent ? state.openedPaid : intent.status === 'succeeded',
    // What arrives after all is waited for like the first time.
    insists: state.insists && intent.status === 'requires_payment',
    clockOffsetMs: Date.parse(intent.server_time) - receivedAt,
  }
}

/** The attempt, unless it is another one by now or over. */
function ongoing({ attempt }: CheckoutState, id: number) {
  if (attempt?.id !== id || attempt.step === 'sent' || attempt.step === 'failed') return null
  return attempt
}

function failed(
  state: CheckoutState,
  { id, wallet }: { id: number; wallet: Wallet },
  problem: Problem,
): CheckoutState {
  return { ...state, attempt: { id, wallet, step: 'failed', problem }, leaving: false }
}

function sentOnly(attempt: Attempt | null): Attempt | null {
  return attempt?.step === 'sent' ? attempt : null
}
