import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'

/** A transfer as it is stored: its binding, and when. */
export type Recorded = {
  readonly id: string
  readonly from: Address
  readonly txHash: Hex
  readonly blockHash: Hex
  readonly blockNumber: bigint
  readonly logIndex: number
  readonly amount: bigint
  readonly intentId: string | null
  /** The rail it came by; null when it is unmatched. */
  readonly rail: string | null
  readonly merchantId: string | null
  readonly orphaned: boolean
  /** The same for all of one reading. */
  readonly seenAt: bigint
}

/** By intent, all transfers that were ever credited to it, on any branch. */
export type Records = ReadonlyMap<string, readonly Recorded[]>

/** Whether one transfer was recorded before another: in an earlier reading, or earlier in the order of the chain. */
export function isBefore(transfer: Recorded, other: Recorded): boolean {
  if (transfer.seenAt !== other.seenAt) return transfer.seenAt < other.seenAt
  if (transfer.blockNumber !== other.blockNumber) return transfer.blockNumber < other.blockNumber
  return transfer.logIndex < other.logIndex
}
