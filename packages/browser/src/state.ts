import type { WalletRequest } from './keptRequests.ts'
import type { CheckoutErrorCode } from './options.ts'
import type { Intent } from './parseIntent.ts'
import type { WalletAnswer } from './wallet/askWallet.ts'
import type { Wallet } from './wallet/discoverWallets.ts'
import type { Order, WalletPayment } from './wallet/prepareOrder.ts'
import type { Problem } from './wallet/problem.ts'

export type Rail = 'wallets' | 'qr'
/** What the QR holds: a payment request (EIP-681), or the bare address. */
export type QrContent = 'request' | 'address'
export type CopyField = 'amount' | 'address'
type Trouble = 'offline' | 'unreachable' | 'rate_limited' | 'faulty'
export type WalletStep = 'connecting' | 'switching' | 'checking' | 'confirming'

/** One try to pay with one wallet, until the wallet has answered; `order` once nothing is left to check. */
export type Attempt =
  | {
      id: number
      wallet: Wallet
      step: 'connecting' | 'switching' | 'checking'
      order: Order | null
    }
  | { id: number; wallet: Wallet; step: 'confirming'; requestId: string }
  | { id: number; wallet: Wallet; step: 'failed'; problem: Problem }

/** `here` when this checkout has asked, and the wallet will answer to it. */
export type KnownRequest = WalletRequest & {
  readonly here: { wallet: Wallet; order: Order } | null
}

export type CheckoutState = {
  /** The latest version of the service; `null` before its first answer. */
  intent: Intent | null
  /** Whether the first answer already said `succeeded`. */
  openedPaid: boolean
  /** Why nothing can be paid here, whatever the service says later. */
  ended: 'not_found' | 'unknown_token' | null
  /** The service's clock minus ours, in milliseconds. */
  clockOffsetMs: number
  /** Why the service does not answer now, and how many tries in a row have failed. */
  trouble: { cause: Trouble; tries: number } | null
  wallets: readonly Wallet[]
  /** What the payer chose; `null` leaves it to the intent's lane. */
  rail: Rail | null
  qrContent: QrContent
  copied: CopyField | null
  attempt: Attempt | null
  /** How many there have been; the number of the latest. */
  attempts: number
  /**
   * Invariant: each may still pay, as far as anybody here knows; one leaves the list only by a proof of its end.
   * The oldest first.
   */
  requests: readonly KnownRequest[]
  /** What the payer is sure will not pay: ids of `requests`, or `reorged`. */
  insistedOn: readonly string[]
  /** The payer asked to close while a payment is under way, and is being told that it goes on. */
  leaving: boolean
}

export type CheckoutEvent =
  // The service.
  | { type: 'resolved'; intent: Intent; kept: readonly WalletRequest[] }
  | { type: 'not_found' }
  | { type: 'unknown_token' }
  | { type: 'poll_failed'; cause: Trouble }
  // The browser.
  | { type: 'wallets_found'; wallets: readonly Wallet[] }
  | { type: 'kept_changed'; kept: readonly WalletRequest[] }
  | { type: 'closed' }
  // The payer.
  | { type: 'wallet_chosen'; wallet: Wallet }
  | { type: 'attempt_left' }
  | { type: 'insisted' }
  | { type: 'rail_chosen'; rail: Rail }
  | { type: 'qr_chosen'; content: QrContent }
  | { type: 'copy_asked'; field: CopyField }
  | { type: 'leave_asked' }
  | { type: 'stayed' }
  // What became of effects.
  | { type: 'copied'; field: CopyField | null }
  | { type: 'attempt_moved'; id: number; step: 'switching' | 'checking' }
  | { type: 'attempt_failed'; id: number; problem: Problem }
  | { type: 'attempt_ready'; id: number; order: Order }
  | { type: 'lock_answered'; id: number; taken: boolean; kept: readonly WalletRequest[] }
  | { type: 'payer_announced'; id: number }
  | { type: 'request_answered'; requestId: string; answer: WalletAnswer }
  | { type: 'hash_learned'; requestId: string; txHash: string }
  | { type: 'watch_ended'; requestId: string; code: CheckoutErrorCode }

/** What is to be done outside of the state; all that is decided was decided before. */
export type CheckoutEffect =
  | { type: 'prepare'; id: number; wallet: Wallet; payment: WalletPayment }
  | { type: 'stop_preparing' }
  | { type: 'take_lock'; id: number; intentId: string }
  | { type: 'announce_payer'; id: number; payer: string }
  | { type: 'ask'; requestId: string; wallet: Wallet; order: Order }
  | { type: 'watch'; requestId: string; wallet: Wallet; order: Order; request: WalletRequest }
  | { type: 'stop_watching' }
  | { type: 'keep'; intentId: string; request: WalletRequest }
  /** Forgets the requests of an intent but those named. */
  | { type: 'forget'; intentId: string; but: readonly string[] }
  | { type: 'copy'; field: CopyField; text: string }

/** A state, and what is to be done now that it is reached. */
export type Step = { state: CheckoutState; effects: readonly CheckoutEffect[] }

export const initialState: CheckoutState = {
  intent: null,
  openedPaid: false,
  ended: null,
  clockOffsetMs: 0,
  trouble: null,
  wallets: [],
  rail: null,
  qrContent: 'request',
  copied: null,
  attempt: null,
  attempts: 0,
  requests: [],
  insistedOn: [],
  leaving: false,
}
