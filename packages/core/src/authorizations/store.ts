import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Intent } from '../payment-intents/intent.ts'
import type { PresentableAuthorization } from '../payment-intents/present.ts'
import type { AuthorizationSource, RefusedAuthorization } from './checkAuthorization.ts'

export type { InspectTransfer } from './validateTransfer.ts'

/** An account's nonce on a chain, which the token takes once. Lower-case. */
export type AuthorizationNonce = {
  readonly chainId: number
  readonly from: Address
  readonly nonce: Hex
}

/**
 * A signed transfer (EIP-3009), as it is submitted. Addresses and the nonce are lower-case.
 *
 * Whoever changes an authorization locks its intent or refund first. A transaction that broadcasts it is written together
 * with its hash, while it is `in_flight`, before it is sent: without a hash it was never broadcast.
 */
export type SignedTransfer = AuthorizationNonce & {
  readonly id: string
  readonly token: Address
  readonly to: Address
  readonly value: bigint
  /** Unix seconds. */
  readonly validAfter: number
  readonly validBefore: number
  readonly signature: Hex
}

/** A payer's authorization. It may be withdrawn if it was never broadcast. */
export type StoredAuthorization = SignedTransfer & {
  readonly intentId: string
  readonly source: AuthorizationSource
  /** The claimant that gets the goods it pays for; null: it pays for none. */
  readonly claimant: string | null
}

/** An authorization that was submitted before. */
export type EarlierAuthorization = PresentableAuthorization & {
  /** null: it is a refund's. */
  readonly intentId: string | null
  readonly signature: Hex
  readonly claimedBy: string | null
}

/** The parts of an intent that the response to an authorization shows. */
export type AuthorizedIntent = Pick<Intent, 'id' | 'status' | 'version'>

/** Records that may conflict with an authorization. */
export type ConflictingAuthorizations = {
  /** The authorization with the same nonce. */
  readonly earlier: EarlierAuthorization | null
  /** Another authorization for the intent is in flight. */
  readonly isInFlight: boolean
  /** The units that the account's authorizations for other intents will take. */
  readonly promised: bigint
  /** Nothing more is broadcast for the account for now. */
  readonly isCutOff: boolean
  /** The nonce is another intent's reference. */
  readonly namesAnother: boolean
  /** Its payment link has no place left for it. */
  readonly isLinkUsedUp: boolean
}

/** The account's code at the time of the check, with the authorization to store. */
export type AuthorizationToStore = StoredAuthorization & CodeHash

/** A signature of a refund, by a wallet of the merchant. It is never withdrawn: the signed amount stays reserved. */
export type RefundAuthorization = SignedTransfer & CodeHash & { readonly refundId: string }

type CodeHash = {
  /** Hash of the account's code; null: it has none. */
  readonly codeHash: Hex | null
}

export type SubmittedAuthorization =
  | {
      readonly type: 'accepted' | 'repeated'
      /** Its new state. */
      readonly intent: AuthorizedIntent
      readonly authorization: PresentableAuthorization
    }
  | UnfitAuthorization

export type UnfitAuthorization =
  /** It differs from what the intent asks for. */
  | { readonly type: 'mismatched'; readonly issues: { path: string; message: string }[] }
  | RefusedAuthorization
  /** No provider of the chain responded. Nothing was stored; the same request may succeed in a moment. */
  | { readonly type: 'unavailable' }

export type AuthorizationStore = {
  /** The authorization with this nonce, and the intent that it was submitted for. */
  findByNonce(
    nonce: AuthorizationNonce,
  ): Promise<{ readonly earlier: EarlierAuthorization; readonly intent: AuthorizedIntent } | null>
  /**
   * Locks the intent and the account, has `decide` decide, and stores the authorization as `in_flight` if that returns
   * `store`: of two submissions at the same time, the second sees the first.
   */
  submit(
    authorization: AuthorizationToStore,
    decide: (
      intent: Intent | null,
      conflicting: ConflictingAuthorizations,
    ) => { readonly type: 'store' } | SubmittedAuthorization,
  ): Promise<SubmittedAuthorization>
  /**
   * Claims the goods that a used authorization has paid for, once: for one request of its claimant.
   *
   * @param claim.request names that request; the same request may be repeated
   * @returns `refused`: they are somebody else's, or were handed out to another request
   */
  claim(
    nonce: AuthorizationNonce,
    claim: { readonly claimant: string; readonly request: string },
  ): Promise<'claimed' | 'refused'>
}
