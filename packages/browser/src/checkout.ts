import type { Intent } from './parseIntent.ts'
import type { Wallet } from './wallet/discoverWallets.ts'
import type { WalletStep } from './wallet/payWithWallet.ts'
import type { Problem } from './wallet/problem.ts'

export type Rail = 'wallets' | 'qr'
/** What the QR holds: a payment request (EIP-681), or the bare address. */
export type QrContent = 'request' | 'address'
export type CopyField = 'amount' | 'address'
type Trouble = 'offline' | 'unreachable' | 'rate_limited' | 'faulty'

/** One try to pay with one wallet. */
export type Attempt = { id: number; wallet: Wallet } & (
  | { step: WalletStep }
  | { step: 'sent'; txHash: string | null }
  | { step: 'failed'; problem: Problem }
)

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
  | { type: 'attempt_sent'; id: number; wallet: Wallet; txHash: string | null }
  | { type: 'attempt_left' }
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
    case 'attempt_moved':
      return ongoing(state, event.id, (attempt) => ({ ...attempt, step: event.step }))
    case 'attempt_failed':
      return {
        ...ongoing(state, event.id, ({ id, wallet }) => ({
          id,
          wallet,
          step: 'failed',
          problem: event.problem,
        })),
        leaving: false,
      }
    case 'attempt_sent':
      // Counts even when the payer had gone back from it: the money is under way.
      return {
        ...state,
        attempt: { id: event.id, wallet: event.wallet, step: 'sent', txHash: event.txHash },
      }
    case 'attempt_left':
      return { ...state, attempt: null, leaving: false }
    case 'leave_asked':
      return { ...state, leaving: true }
    case 'stayed':
      return { ...state, leaving: false }
  }
}

function resolved(state: CheckoutState, intent: Intent, receivedAt: number): CheckoutState {
  // Answers can overtake each other; an older one only proves that the service is there.
  if (state.intent && intent.version < state.intent.version) return { ...state, trouble: null }
  return {
    ...state,
    intent,
    trouble: null,
    openedPaid: state.intent ? state.openedPaid : intent.status === 'succeeded',
    clockOffsetMs: Date.parse(intent.server_time) - receivedAt,
  }
}

/** Changes the attempt, unless it is another one by now or over. */
function ongoing(
  state: CheckoutState,
  id: number,
  change: (attempt: Attempt) => Attempt,
): CheckoutState {
  const { attempt } = state
  if (attempt?.id !== id || attempt.step === 'sent' || attempt.step === 'failed') return state
  return { ...state, attempt: change(attempt) }
}

function sentOnly(attempt: Attempt | null): Attempt | null {
  return attempt?.step === 'sent' ? attempt : null
}
