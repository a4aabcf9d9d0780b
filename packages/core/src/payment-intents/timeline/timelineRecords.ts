import type { Address, EventType, RefundStatus } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { StoredDelivery } from '../../webhook-endpoints/store.ts'
import type { BoundBy } from '../intent.ts'

/** A transfer that is or was credited to an intent, even if the chain took it back. */
export type TimelineTransfer = {
  readonly id: string
  readonly txHash: Hex
  readonly amount: bigint
  readonly from: Address
  readonly blockNumber: bigint
  /** Unix seconds. */
  readonly blockTimestamp: number
  /** Unix milliseconds. */
  readonly seenAt: number
  readonly boundBy: BoundBy
  readonly orphaned: boolean
}

/** A payer's authorization for an intent. Times are Unix milliseconds. */
export type TimelineAuthorization = {
  readonly id: string
  readonly from: Address
  readonly source: string
  readonly status: 'in_flight' | 'used' | 'refused' | 'expired'
  readonly reason: string | null
  readonly createdAt: number
  readonly endedAt: number | null
  readonly broadcasts: readonly { readonly txHash: Hex; readonly time: number }[]
  readonly txHash: Hex | null
}

/**
 * The stored records of an intent, each kind up to one more than `limits.timeline` shows. Times are Unix milliseconds.
 */
export type TimelineRecords = {
  /** About the intent and its refunds, oldest first. */
  readonly events: readonly {
    readonly id: string
    readonly type: EventType
    readonly refundId: string | null
    readonly time: number
  }[]
  /** Largest first. */
  readonly transfers: readonly TimelineTransfer[]
  readonly authorizations: readonly TimelineAuthorization[]
  readonly deliveries: readonly (Omit<StoredDelivery, 'eventType'> & {
    readonly endpointId: string
  })[]
  readonly refunds: readonly {
    readonly id: string
    readonly status: RefundStatus
    readonly amount: bigint
    readonly txHash: Hex | null
    readonly time: number
  }[]
}
