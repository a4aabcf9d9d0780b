import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Intent } from '../payment-intents/intent.ts'
import type { PresentableAuthorization } from '../payment-intents/present.ts'
import type { RefusedAuthorization } from './authorizationRefusals.ts'
import type { AuthorizationSource } from './checkTerms.ts'

export type { SimulateTransfer } from './validateSignedTransfer.ts'

/** An account's nonce on a chain, which the token accepts once. Lower-case. */
export type AuthorizationNonce = {
  readonly chainId: number
  readonly from: Address
  readonly nonce: Hex
}

/**
 * A signed transfer (EIP-3009) as submitted. Addresses and the nonce are lower-case.
 * Every change of an authorization locks its intent or refund first. The transaction that broadcasts an authorization
 * is stored with its hash before it is sent, while the authorization is `in_flight`: without a hash it was never
 * broadcast.
 */
type SignedTransfer = AuthorizationNonce & {
  readonly id: string
  readonly token: Address
  readonly to: Address
  readonly value: bigint
  /** Unix seconds. */
  readonly validAfter: number
  readonly validBefore: number
  readonly signature: Hex
}

/** A payer's authorization. It may be withdrawn until it is broadcast. */
export type StoredAuthorization = SignedTransfer & {
  readonly intentId: string
  readonly source: AuthorizationSource
  /** The claimant of the goods that the authorization pays for; null: it pays for none. */
  readonly claimant: string | null
}

/** An authorization that was submitted earlier. */
export type EarlierAuthorization = PresentableAuthorization & {
  /** null: it pays a refund. */
  readonly intentId: string | null
  readonly signature: Hex
  readonly claimedBy: string | null
}

/** The fields of an intent that the response to an authorization shows. */
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
  /** Its payment link has no place left. */
  readonly isLinkUsedUp: boolean
}

/** The account's code at the time of the check, with the authorization to store. */
export type AuthorizationToStore = StoredAuthorization & CodeHash

/** A refund's signature by a wallet of the merchant. It is never withdrawn: the signed amount stays reserved. */
export type RefundAuthorization = SignedTransfer & CodeHash & { readonly refundId: string }

type CodeHash = {
  /** Hash of the account's code; null: it has none. */
  readonly codeHash: Hex | null
}

export type SubmittedAuthorization =
  | {
      readonly type: 'accepted' | 'repeated'
      /** The intent's new state. */
      readonly intent: AuthorizedIntent
      readonly authorization: PresentableAuthorization
    }
  | UnfitAuthorization

export type UnfitAuthorization =
  /** The authorization differs from the intent's terms. */
  | { readonly type: 'mismatched'; readonly issues: { path: string; message: string }[] }
  | RefusedAuthorization
  /** No provider of the chain responded. Nothing was stored; a retry may succeed soon. */
  | { readonly type: 'unavailable' }

export type AuthorizationStore = {
  /** The authorization with this nonce, and the intent that it was submitted for. */
  findByNonce(
    nonce: AuthorizationNonce,
  ): Promise<{ readonly earlier: EarlierAuthorization; readonly intent: AuthorizedIntent } | null>
  /**
   * Locks the intent and the account, calls `decide`, and stores the authorization as `in_flight` if that returns
   * `store`. Of two concurrent submissions the second sees the first.
   */
  submit(
    authorization: AuthorizationToStore,
    decide: (
      intent: Intent | null,
      conflicting: ConflictingAuthorizations,
    ) => { readonly type: 'store' } | SubmittedAuthorization,
  ): Promise<SubmittedAuthorization>
  /**
   * Claims the goods that a used authorization paid for, once: for one request of its claimant.
   * @param claim.request names that request, which may be repeated
   * @returns `refused`: the goods are another claimant's, or another request has them
   */
  claim(
    nonce: AuthorizationNonce,
    claim: { readonly claimant: string; readonly request: string },
  ): Promise<'claimed' | 'refused'>
}
