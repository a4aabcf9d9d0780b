import type {
  Address,
  Chain,
  DestinationProof,
  Mode,
  RefundReason,
  RefundStatus,
} from '@payment-intents/contract'
import type { Hex } from 'viem'

/** The terms set at creation; they never change. Addresses are lower-case. */
type RefundTerms = {
  readonly id: string
  readonly merchantId: string
  readonly mode: Mode
  /** The intent whose payments it pays back; null: it pays back an unmatched transfer. */
  readonly intentId: string | null
  readonly transferId: string | null
  readonly chain: Chain
  readonly chainId: number
  readonly token: Address
  readonly amount: bigint
  readonly reference: Hex
  readonly salt: Hex
  readonly confirmationsRequired: number
  readonly reason: RefundReason | null
  /** JSON text exactly as the merchant sent it. */
  readonly metadata: string
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** A transfer on the canonical chain that pays a refund. Addresses are lower-case. */
export type RefundTransfer = {
  readonly id: string
  readonly txHash: Hex
  readonly blockNumber: bigint
  readonly from: Address
}

/** The state that transitions change. */
type Progress = {
  readonly status: RefundStatus
  /** Number of events so far. */
  readonly sequence: number
  readonly destination: Address | null
  /** The party that named the destination; null without a destination. */
  readonly destinationProof: DestinationProof | null
  /** The account that signed or paid the refund. */
  readonly from: Address | null
  /** Whether `from` is a registered wallet of the merchant; null without an account. */
  readonly isFromVerified: boolean | null
  readonly confirmations: number
  /** A transaction that the merchant named as the refund's payment, in any block. */
  readonly attachedTxHash: Hex | null
  readonly transfer: RefundTransfer | null
  /** When it was finally paid, Unix milliseconds; null before, and while the chain has taken the payment back. */
  readonly succeededAt: number | null
  /** Whether a submitted signature may still move money. */
  readonly isSigned: boolean
}

export type Refund = RefundTerms & Progress
