import type { CheckoutErrorCode, CheckoutPaymentMethod } from '../checkoutOptions.ts'
import type { Intent } from '../service/parseIntent.ts'
import type { SubmitResult } from '../service/submitAuthorization.ts'
import type { WalletRequest } from '../storage/walletRequests.ts'
import type { Order } from '../wallet/encodeTransfer.ts'
import type { Prepared, WalletPayment } from '../wallet/prepareOrder.ts'
import type { Problem } from '../wallet/problem.ts'
import type { Wallet } from '../wallet/provider/discoverWallets.ts'
import type { WalletResponse } from '../wallet/requestWallet.ts'

/** Content of the QR code: a link to the hosted page, a payment request (EIP-681), or the bare address. */
export type QrContent = 'link' | 'request' | 'address'
export type CopyField = 'amount' | 'address' | 'hash'
type Outage = 'offline' | 'unreachable' | 'rate_limited' | 'faulty'
/** `request_pending`: the wallet shows an earlier request, which the payer has to finish first. */
export type WalletStep = 'connecting' | 'request_pending' | 'switching' | 'checking' | 'confirming'

/** One attempt to pay with one wallet, until the wallet responds; `order` is set once all checks pass. */
export type Attempt =
  | {
      id: number
      wallet: Wallet
      step: Exclude<WalletStep, 'confirming'>
      order: Order | null
      /** The payer says that the wallet pays the fee. */
      isSponsored?: boolean
    }
  | { id: number; wallet: Wallet; step: 'confirming'; requestId: string }
  | { id: number; wallet: Wallet; step: 'failed'; problem: Problem }

/** `sentWith` is set if this checkout sent the request and so receives the wallet's response. */
export type PendingRequest = WalletRequest & {
  readonly sentWith: { wallet: Wallet; order: Order } | null
}

export type CheckoutState = {
  /** The latest version from the service; `null` before its first response. */
  intent: Intent | null
  /** Whether the first response already said `succeeded`. */
  openedPaid: boolean
  /** Why this checkout cannot pay; final. */
  unpayable: 'not_found' | 'unknown_token' | null
  /** The service's clock minus ours, in milliseconds. */
  clockOffsetMs: number
  /** Why the service does not respond, and how many polls in a row have failed. */
  outage: { cause: Outage; tries: number } | null
  wallets: readonly Wallet[]
  /** The page's ways to pay, of which the first opens; `null`: both, and the intent's lane decides. */
  methodOrder: readonly CheckoutPaymentMethod[] | null
  /** The payer's choice. */
  paymentMethod: CheckoutPaymentMethod | null
  /** The payer's choice; `null` for the first available code. */
  qrContent: QrContent | null
  /** The service has responded to a request to reserve an amount to pay by hand. Choosing that way again repeats the request. */
  hasReserved: boolean
  /** A single-use link that opens the payment in another browser; `undefined` until the service responds, `null` without a link. */
  handoff: string | null | undefined
  /** The account that paid, if it is known. */
  payer: string | null
  /** Whether the payer points with a finger: on a phone, wallets are apps. */
  onPhone: boolean
  copied: CopyField | null
  attempt: Attempt | null
  /** Number of attempts so far; the id of the latest. */
  attempts: number
  /** Whether this tab may send requests to wallets. */
  holdsLock: boolean
  /** Invariant: each may still pay; a request is removed only once its end is proven. Oldest first. */
  requests: readonly PendingRequest[]
  /** The payments that the payer is sure were not sent: ids of `requests`, or `reorged`. Emptied when a request is added or changes. */
  dismissed: readonly string[]
  /** Signatures, by id of their request, whose page is closed. That page may have submitted them. */
  abandonedSignatures: readonly string[]
  /** Wallets and methods that failed for another reason than the payer's refusal, the latest last; the next attempt uses another method. */
  unusable: readonly { readonly walletId: string; readonly method: Order['method'] }[]
  /** The payer tried to close during a payment, and the warning is shown. */
  leaving: boolean
  /** The payer's statements on whether a near miss is theirs, by transaction hash. */
  nearMissOwners: Readonly<Record<string, 'mine' | 'other'>>
}

export type CheckoutEvent =
  // The service.
  /** `reserved`: the request was to reserve an amount to pay by hand. */
  | { type: 'resolved'; intent: Intent; stored: readonly WalletRequest[]; reserved?: boolean }
  | { type: 'not_found' }
  | { type: 'unknown_token' }
  | { type: 'poll_failed'; cause: Outage }
  // The browser.
  | { type: 'wallets_found'; wallets: readonly Wallet[] }
  | { type: 'requests_changed'; stored: readonly WalletRequest[] }
  | { type: 'pointer_changed'; coarse: boolean }
  | { type: 'handed_off'; url: string | null | undefined }
  | { type: 'closed' }
  // The payer.
  /** `isSponsored`: the account has no gas, and its wallet may pay for it. `unsigned`: a transfer, though it could sign. */
  | { type: 'wallet_chosen'; wallet: Wallet; isSponsored?: boolean; unsigned?: boolean }
  | { type: 'attempt_left' }
  /** The payer does not see the wallet's window. */
  | { type: 'wake_requested' }
  | { type: 'dismissed' }
  | { type: 'payment_method_chosen'; paymentMethod: CheckoutPaymentMethod }
  | { type: 'qr_chosen'; content: QrContent }
  | { type: 'copy_requested'; field: CopyField }
  | { type: 'near_miss_classified'; txHash: string; owner: 'mine' | 'other' }
  | { type: 'leave_requested' }
  | { type: 'stayed' }
  // Results of effects.
  | { type: 'copied'; field: CopyField | null }
  | { type: 'attempt_moved'; id: number; step: Exclude<WalletStep, 'connecting' | 'confirming'> }
  | { type: 'attempt_prepared'; id: number; prepared: Prepared }
  | { type: 'lock_settled'; id: number; acquired: boolean; stored: readonly WalletRequest[] }
  /** `credited`: the service credits this account's transfers to the intent. */
  | { type: 'payer_announced'; id: number; credited: boolean }
  | { type: 'request_settled'; requestId: string; response: WalletResponse }
  | { type: 'submitted'; requestId: string; result: SubmitResult }
  /** The pages that made these requests are closed. */
  | { type: 'requesters_closed'; requestIds: readonly string[] }
  | { type: 'hash_learned'; requestId: string; txHash: string }
  | { type: 'watch_ended'; requestId: string; code: CheckoutErrorCode }

/** Work that continues after its effect returns, at most one of each. */
export type Work = 'attempt' | 'submit' | 'watch' | 'copied'

/** Side effects; they make no decisions. */
export type CheckoutEffect =
  | { type: 'prepare'; id: number; wallet: Wallet; payment: WalletPayment }
  | { type: 'take_lock'; id: number; intentId: string }
  | { type: 'announce_payer'; id: number; payer: string }
  | { type: 'send_request'; requestId: string; wallet: Wallet; order: Order }
  | { type: 'submit'; requestId: string; order: Order; signature: string }
  /** Makes the wallet show its window, without a request that pays. */
  | { type: 'wake'; wallet: Wallet }
  /** Finds out whether a page is open that may receive the responses to these requests. */
  | { type: 'find_requesters'; intentId: string; requestIds: readonly string[] }
  | { type: 'watch'; requestId: string; wallet: Wallet; order: Order; request: WalletRequest }
  | { type: 'store'; intentId: string; request: WalletRequest }
  /** Removes these stored requests of an intent, and no others: another checkout may have stored more. */
  | { type: 'forget'; intentId: string; requestIds: readonly string[] }
  | { type: 'copy'; field: CopyField; text: string }
  | { type: 'clear_copied' }
  /** Dispatched before the same work begins again. */
  | { type: 'stop'; work: Work }

export const initialState: CheckoutState = {
  intent: null,
  openedPaid: false,
  unpayable: null,
  clockOffsetMs: 0,
  outage: null,
  wallets: [],
  methodOrder: null,
  paymentMethod: null,
  qrContent: null,
  hasReserved: false,
  handoff: undefined,
  payer: null,
  onPhone: false,
  copied: null,
  attempt: null,
  attempts: 0,
  holdsLock: false,
  requests: [],
  dismissed: [],
  abandonedSignatures: [],
  unusable: [],
  leaving: false,
  nearMissOwners: {},
}
