import type {
  Address,
  Chain,
  Lane,
  Mode,
  PaymentIntentException,
  PaymentIntentStatus,
} from '@payment-intents/contract'
import type { Hex } from 'viem'

/** The terms set at creation; they never change. Addresses are lower-case. */
export type Terms = {
  readonly id: string
  readonly merchantId: string
  readonly mode: Mode
  readonly chain: Chain
  readonly chainId: number
  readonly token: Address
  readonly wallet: Address
  /** The price. */
  readonly amount: bigint
  readonly reference: Hex
  readonly salt: Hex
  readonly confirmationsRequired: number
  readonly lane: Lane
  /** The payment link that it pays. */
  readonly paymentLink: string | null
  /** JSON text exactly as the merchant sent it. */
  readonly metadata: string
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Unix seconds; a payment is on time if its block's timestamp is not greater. */
  readonly expiresAt: number
  readonly expiresInMinutes: number
}

/** How payments are distinguished at a wallet that several intents share. */
type Payable = {
  /** The amount that the payer has to send: the price plus a tag unique to this intent. */
  readonly payable: bigint
  /** No distinct amount was free, so only the reference identifies a payment. */
  readonly referenceOnly: boolean
}

/** How a transfer was matched to its intent. */
export type BoundBy =
  | 'assignment'
  | 'authorization'
  | 'reference'
  | 'address'
  | 'payable_amount'
  | 'price'

/** A transfer on the canonical chain that is bound to an intent. */
export type CreditedTransfer = {
  readonly id: string
  readonly txHash: Hex
  readonly blockNumber: bigint
  /** Unix seconds. */
  readonly blockTimestamp: number
  readonly logIndex: number
  readonly amount: bigint
  readonly boundBy: BoundBy
}

/** The state that transitions change. */
type Progress = {
  readonly status: PaymentIntentStatus
  /** Each visible change increments it. */
  readonly version: number
  /** Number of events so far. */
  readonly sequence: number
  readonly confirmations: number
  /** The transaction that completed the payment, or the latest partial one. */
  readonly txHash: Hex | null
  readonly exceptions: readonly PaymentIntentException[]
  /** The amount or less that the merchant agreed to settle for; late transfers count towards it. */
  readonly accepted: bigint | null
  /** All credited transfers, in chain order. */
  readonly transfers: readonly CreditedTransfer[]
  /** Units of refunds that succeeded, and of those that are neither succeeded nor canceled. */
  readonly refunded: bigint
  readonly refunding: bigint
  /** When a checkout first resolved it, Unix milliseconds; null: not yet. No fact changes it. */
  readonly openedAt: number | null
  /** When it was finally paid, Unix milliseconds; null before, and while the chain has taken the payment back. */
  readonly succeededAt: number | null
}

export type Intent = Terms & Payable & Progress
