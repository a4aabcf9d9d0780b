import type { Chain, PaymentIntentStatus } from '@payment-intents/contract'
import type { IntentAndTransferFilter } from '../lib/listFilter.ts'
import type { Page } from '../lib/presentPage.ts'
import type { Actor, WrittenEvent } from '../service.ts'
import type { Applied } from './applyFacts.ts'
import type { Merchant } from './creation/newIntent.ts'
import type { CreditedTransfer, Intent, Terms } from './intent.ts'
import type { NearMiss, PresentableAuthorization } from './present.ts'
import type { ReceiptRefund } from './receiptRefunds.ts'
import type { TimelineRecords } from './timeline/timelineRecords.ts'
import type { Refusal } from './transition.ts'

export type PaymentIntentFilter = IntentAndTransferFilter & {
  readonly status: PaymentIntentStatus | null
  readonly chain: Chain | null
  readonly paymentLink: string | null
  /** The metadata must contain all of these. */
  readonly metadata: readonly (readonly [key: string, value: string])[]
}

/** An intent with the other data that the checkout shows. */
export type CheckoutIntent = {
  readonly intent: Intent
  readonly merchantName: string
  /** The merchant's contact: a mail address or an https URL. */
  readonly support: string | null
  /** The merchant's page about how to get USDC, or `none`. */
  readonly guide: string | null
  /** Unmatched transfers that may be for it, newest first. */
  readonly nearMisses: readonly NearMiss[]
  /** Whether no other intent has its wallet. */
  readonly exclusiveAddress: boolean
  /** The description of its payment link. */
  readonly linkDescription: string | null
  /** The authorization in flight, else the used, else the newest. */
  readonly authorization: PresentableAuthorization | null
  /** Refunds that its receipt lists, oldest first. */
  readonly refunds: readonly ReceiptRefund[]
}

/** A request with an `Idempotency-Key`. */
export type IdempotentRequest = {
  readonly key: string
  /** Equal for equal requests. */
  readonly fingerprint: string
}

/** The visitor who creates an intent of a payment link. */
export type LinkPayer = {
  /** The hash of the visitor's random key, which names the visitor. */
  readonly visitor: string
  /** Names the client address, without showing it. */
  readonly client: string
}

export type NewPaymentIntent = {
  readonly terms: Terms
  /** `payPaymentLink`: the service makes its keys itself. */
  readonly operation: 'createPaymentIntent' | 'payPaymentLink'
  readonly idempotency: IdempotentRequest | null
  /** Whether the request named the wallet; otherwise it is the merchant's own. */
  readonly namesWallet: boolean
  /** Whether to reserve an amount now: not with a payment in the request, nor for a payment link. */
  readonly reservesAmount: boolean
  /** The payer of a link that creates it; null: nobody else can open it. */
  readonly payer?: LinkPayer | null
  /** The least that the chain's clock can show, Unix milliseconds. */
  readonly since: number
  /** Names the key that its client secret is derived with. */
  readonly secretKey: string
}

/** The outcome of an earlier request with the same idempotency key. */
export type EarlierCreation =
  /** `response` is JSON text without links and client secret. */
  | { readonly type: 'replayed'; readonly response: string; readonly secretKey: string }
  | { readonly type: 'mismatch' }

export type StoredCreation =
  | { readonly type: 'created'; readonly response: string; readonly secretKey: string }
  | EarlierCreation
  /** Another request with its idempotency key is in progress. */
  | { readonly type: 'in_flight' }
  | { readonly type: 'no_payable_amount_left' }
  /** The wallet is another merchant's: by their proof, by their lists or because they named it first. */
  | { readonly type: 'wallet_taken' }

/** A merchant's transfer, as an assignment decides on it. */
type AssignableTransfer = Omit<CreditedTransfer, 'boundBy'> & {
  readonly chainId: number
  readonly token: string
  readonly intentId: string | null
  readonly orphaned: boolean
  /** Whether a refund that is not canceled pays it back. */
  readonly isRefunded: boolean
}

/** The locked facts of a decision. Nobody else changes them until the decision is written. */
export type Locked = {
  /** The actor's intents among the request's, and the intent that the transfer is credited to. */
  readonly intents: ReadonlyMap<string, Intent>
  readonly transfer: AssignableTransfer | null
  /** Whether an authorization for the request's intent may still move money. */
  readonly isInFlight: boolean
}

export type Decision =
  | {
      readonly type: 'done'
      /** The intent of the response. */
      readonly intent: Intent
      readonly changes: readonly Applied[]
      readonly assign?: { readonly transferId: string; readonly intentId: string }
    }
  | { readonly type: 'not_found' }
  | ({ readonly type: 'refused' } & Refusal)

export type ActionResult =
  | {
      readonly type: 'done'
      readonly intent: Intent
      readonly events: readonly WrittenEvent[]
    }
  | Exclude<Decision, { type: 'done' }>

export type PaymentIntentStore = {
  /** null also for another merchant's or mode's. */
  find(actor: Actor, id: string): Promise<Intent | null>
  findForCheckout(id: string): Promise<CheckoutIntent | null>
  /**
   * Records when a checkout resolved an intent, unless an earlier time is recorded.
   *
   * @param time Unix milliseconds
   */
  markOpened(id: string, time: number): Promise<void>
  findStatus(id: string): Promise<PaymentIntentStatus | null>
  /** The records of one of the actor's intents. */
  readTimeline(id: string): Promise<TimelineRecords>
  /** Newest first. */
  list(actor: Actor, filter: PaymentIntentFilter): Promise<Page<Intent>>
  /**
   * Runs a creation alone among those with its idempotency key. A request that waits too long for another with its key
   * is `in_flight`.
   */
  withIdempotencyLock(
    merchant: Merchant,
    idempotency: IdempotentRequest | null,
    work: () => Promise<StoredCreation>,
  ): Promise<StoredCreation>
  findEarlier(actor: Actor, idempotency: IdempotentRequest): Promise<EarlierCreation | null>
  /** Writes an intent with its idempotency key, its reserved amount and its event, or nothing. */
  create(creation: NewPaymentIntent): Promise<StoredCreation>
  /** Reserves an amount to pay by hand for an intent if {@link canReserve} allows it and its link has a place left. */
  reserveAmount(id: string): Promise<void>
  /** Locks the request's records, calls `decide`, and writes its changes and their events: all or nothing. */
  underLock(
    actor: Actor,
    ids: { readonly intent: string; readonly transfer?: string },
    decide: (locked: Locked) => Decision,
  ): Promise<ActionResult>
  /**
   * Stores a token that opens the hosted page once.
   * @param handoff.origin must be registered by the merchant; null: any
   * @returns when it expires
   */
  insertHandoff(handoff: {
    readonly hash: string
    readonly intentId: string
    readonly returnUrl: string | null
    readonly origin: string | null
  }): Promise<Date | 'origin_not_registered' | 'ended'>
}
