import type {
  Address,
  Chain,
  Lane,
  Mode,
  PaymentIntentException,
  PaymentIntentStatus,
} from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Rail } from './bind.ts'

/** What was agreed at creation; never changes. Addresses are lower-case. */
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
  /** JSON text exactly as the merchant sent it. */
  readonly metadata: string
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Unix seconds; a payment is on time when its block's timestamp is not greater. */
  readonly expiresAt: number
  readonly expiresInMinutes: number
}

/** How the payer is told apart at a wallet that many intents share. */
type Payable = {
  /** What the payer is asked to send: the price plus a tag that is this intent's alone. */
  readonly payable: bigint
  /** No distinct amount was left, so only the reference identifies a payment. */
  readonly referenceOnly: boolean
}

/** A transfer on the canonical chain that is bound to an intent. */
export type CreditedTransfer = {
  readonly id: string
  readonly txHash: Hex
  readonly blockNumber: bigint
  /** Unix seconds. */
  readonly blockTimestamp: number
  readonly logIndex: number
  readonly amount: bigint
  readonly boundBy: Rail
}

/** What transitions change. */
type Progress = {
  readonly status: PaymentIntentStatus
  /** Grows by one at each visible change. */
  readonly version: number
  /** Number of events so far. */
  readonly sequence: number
  readonly confirmations: number
  /** The transaction that completed the payment, or the latest partial one. */
  readonly txHash: Hex | null
  readonly exceptions: readonly PaymentIntentException[]
  /** What the merchant agreed to settle for, the amount or less; late money counts for it too. */
  readonly accepted: bigint | null
  /** Everything credited, in the order of the chain. */
  readonly transfers: readonly CreditedTransfer[]
}

export type Intent = Terms & Payable & Progress
