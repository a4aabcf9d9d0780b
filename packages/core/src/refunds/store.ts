import type { Address, Chain, Mode, RefundStatus } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { ConflictingAuthorizations, RefundAuthorization } from '../authorizations/store.ts'
import type { Page } from '../lib/presentPage.ts'
import type { EarlierCreation, IdempotentRequest } from '../payment-intents/store.ts'
import type { Actor, WrittenEvent } from '../service.ts'
import type { TransferLog } from '../transfers/observedTransaction.ts'
import type { Refund } from './refund.ts'
import type { RefundSource } from './refundable.ts'
import type { AppliedToRefund } from './transitionRefund.ts'

/** Addresses and hashes are lower-case; null: no filter. */
export type RefundFilter = {
  readonly limit: number
  /** The id to continue after. */
  readonly startingAfter: string | null
  readonly intentId: string | null
  readonly transferId: string | null
  readonly status: RefundStatus | null
  readonly txHash: string | null
  readonly destination: Address | null
  /** The account that signed or paid it. */
  readonly from: Address | null
  readonly reference: string | null
  readonly amount: number | null
  /** Unix milliseconds, inclusive. */
  readonly createdAfter: number | null
  /** Unix milliseconds, exclusive. */
  readonly createdBefore: number | null
}

/**
 * The role of an address for a merchant. `registered`: a wallet that pays refunds. `own`: another wallet that receives
 * the merchant's payments. `foreign`: any other account, to which a refund may go.
 */
export type WalletRole = 'registered' | 'own' | 'foreign'

/** The source of a refund: an intent's payments, or an unmatched transfer. */
export type SourceId =
  | { readonly type: 'payment_intent'; readonly id: string }
  | { readonly type: 'transfer'; readonly id: string }

/** The locked facts for a new refund. Nobody else changes them until the refund is written. */
export type LockedSource = {
  readonly source: RefundSource
  readonly mode: Mode
  readonly chain: Chain
  readonly chainId: number
  /** The token, USDC. */
  readonly token: Address
  /** The transfer that is the source; null for an intent. */
  readonly transfer: {
    readonly intentId: string | null
    readonly token: string
    readonly orphaned: boolean
  } | null
  /** The role of the request's destination for the merchant. */
  readonly role: WalletRole
}

export type RefundCreation =
  | ({ readonly type: 'created' } & ChangedRefund)
  | EarlierCreation
  /** Another request with its idempotency key is in progress. */
  | { readonly type: 'in_flight' }
  | { readonly type: 'not_found' }

/** A transfer in a canonical block that may pay a refund. */
export type ObservedTransfer = TransferLog & {
  readonly txHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  /** Unix seconds. */
  readonly blockTimestamp: number
}

/** The locked facts of a decision on a refund. Nobody else changes them until the decision is written. */
export type LockedRefund = {
  readonly refund: Refund
  readonly source: RefundSource
  /** The role of the request's address, or of the attachable transfer's sender. */
  readonly role: WalletRole
  /** Null unless the request has an authorization. */
  readonly conflicting: Pick<ConflictingAuthorizations, 'promised' | 'isCutOff'> | null
  /**
   * The first of the request's transfers that no other refund has, with its id. `unread`: it also pays another watched
   * wallet, and has not been read for that wallet. null: no transfer is attachable.
   */
  readonly attachable: (ObservedTransfer & { readonly id: string }) | 'unread' | null
}

export type ChangedRefund = {
  readonly refund: Refund
  readonly source: RefundSource
  readonly events: readonly WrittenEvent[]
}

export type PageRefund = {
  readonly refund: Refund
  readonly source: RefundSource
  readonly merchantName: string
  readonly support: string | null
}

/** If `decide` throws an `HttpError`, the request is refused and nothing is written. */
export type RefundStore = {
  /** null also for another merchant's or mode's. */
  find(
    actor: Actor,
    id: string,
  ): Promise<{ readonly refund: Refund; readonly source: RefundSource } | null>
  /** A refund of any merchant, with the merchant's data that its payer may see. */
  findForPage(id: string): Promise<PageRefund | null>
  /** Newest first. */
  list(actor: Actor, filter: RefundFilter): Promise<Page<Refund>>
  /**
   * Locks the source of a refund, calls `decide`, and writes the refund with its idempotency key and its event: all or
   * nothing. Of two concurrent requests, the second sees the refund of the first.
   */
  create(
    actor: Actor,
    request: {
      readonly source: SourceId
      readonly destination: Address | null
      readonly idempotency: IdempotentRequest | null
    },
    decide: (locked: LockedSource) => Refund,
  ): Promise<RefundCreation>
  /**
   * Locks a refund and its source, calls `decide`, and writes the change with its events: all or nothing. Unless `decide` refuses, the
   * authorization of the request is stored as `in_flight`, and the attachable transfer as the refund's.
   *
   * @returns null also for another merchant's or mode's
   */
  underLock(
    actor: Actor,
    request: {
      readonly id: string
      readonly address?: Address
      readonly authorization?: RefundAuthorization
      readonly transfers?: readonly ObservedTransfer[]
    },
    decide: (locked: LockedRefund) => AppliedToRefund,
  ): Promise<ChangedRefund | null>
}

/**
 * Reads a transaction with its USDC transfers.
 * @returns `unknown`: no canonical block has it; null if no provider of the chain responds
 */
export type ReadTransaction = (
  chainId: number,
  txHash: Hex,
) => Promise<readonly ObservedTransfer[] | 'unknown' | null>

/**
 * Calls an account's code to check whether it has signed a hash (EIP-1271), with limited gas.
 * @returns null if no provider of the chain responds
 */
export type CheckAccountSignature = (signed: {
  readonly chainId: number
  readonly account: Address
  readonly hash: Hex
  readonly signature: Hex
}) => Promise<boolean | null>
