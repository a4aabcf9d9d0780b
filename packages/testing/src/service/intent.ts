import type {
  Address,
  Chain,
  Lane,
  Mode,
  PaymentIntentException,
  PaymentIntentStatus,
} from '@payment-intents/contract'
import type { Hex } from 'viem'

/** What tells whose a transfer is. */
export type Rail = 'assignment' | 'reference' | 'address' | 'payable_amount'

/** Why a transfer is nobody's. */
export type UnmatchedReason = 'no_intent' | 'ambiguous' | 'wrong_chain'

/** A USDC transfer to a wallet that is watched. Addresses carry their EIP-55 checksum everywhere in here. */
export type LedgerTransfer = {
  readonly id: string
  readonly chain: Chain
  readonly txHash: Hex
  readonly blockNumber: number
  /** Unix seconds. */
  readonly blockTimestamp: number
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  /** When it was seen, Unix milliseconds. */
  readonly seenAt: number
  readonly intentId: string | null
  readonly boundBy: Rail | null
  readonly reason: UnmatchedReason | null
  readonly orphaned: boolean
}

/** What was agreed at creation, and how far the payment has come. */
export type Intent = {
  readonly id: string
  readonly clientSecret: string
  readonly mode: Mode
  readonly chain: Chain
  readonly wallet: Address
  readonly amount: bigint
  /** What every rail asks for: the amount plus a tag below one cent. */
  readonly payable: bigint
  /** No distinct amount was left, so only the reference identifies a payment. */
  readonly referenceOnly: boolean
  readonly reference: Hex
  readonly confirmationsRequired: number
  readonly lane: Lane
  readonly metadata: Readonly<Record<string, unknown>>
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Unix seconds; a payment is on time when its block's timestamp is not greater. */
  readonly expiresAt: number
  readonly expiresInMinutes: number

  readonly status: PaymentIntentStatus
  readonly version: number
  /** Number of events so far. */
  readonly sequence: number
  readonly confirmations: number
  readonly txHash: Hex | null
  readonly exceptions: readonly PaymentIntentException[]
  /** What the merchant agreed to settle for, the amount or less; late money counts for it too. */
  readonly accepted: bigint | null
  /** Everything credited that still stands in the chain, in its order. */
  readonly transfers: readonly LedgerTransfer[]
}

/** Units credited so far. */
export function received(intent: Pick<Intent, 'transfers'>): bigint {
  return intent.transfers.reduce((sum, { amount }) => sum + amount, 0n)
}
