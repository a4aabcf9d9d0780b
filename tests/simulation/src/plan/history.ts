import type { Lane } from '@payment-intents/contract'
import type { Envelope } from '../chain/transaction.ts'

/**
 * The events at one merchant's wallets. Intents are numbered within the history. An action `during` a step happens while the chain is read:
 * when everything was requested and nothing is written yet.
 */
export type Action =
  | EarlyPayment
  | Creation
  | Announcement
  | AuthorizationAction
  | Payment
  | MerchantRequest
  | RefundRequest

/** Sent before anything else happens, to a wallet that is not watched yet. */
export type EarlyPayment = {
  readonly type: 'pay_early'
  readonly wallet: WalletChoice
  readonly amount: number
}

export type Creation = {
  readonly type: 'create'
  readonly step: number
  readonly during: boolean
  readonly intent: number
  readonly amount: number
  /** Its price is that order's payable amount, if that exists by then. */
  readonly like: number | null
  readonly lane: Lane
  readonly minutes: number
  readonly confirmations: number
  readonly wallet: WalletChoice
  /** On the other chain of the mode, which is not followed. */
  readonly sibling: boolean
}

/**
 * None named; one of two wallets that this merchant names; a wallet that the neighbour names too; the neighbour's configured
 * wallet, or an address that the neighbour names for their own orders.
 */
export type WalletChoice =
  | 'configured'
  | 'first'
  | 'second'
  | 'shared'
  | 'neighbours'
  | 'neighbours_first'

export type Announcement = {
  readonly type: 'announce'
  readonly step: number
  readonly during: boolean
  readonly intent: number
  readonly payer: number
}

/** Somebody submits an authorization with a nonce that its payer drew for an order, perhaps another order than the payer meant. */
export type AuthorizationAction = {
  readonly type: 'hand_in'
  readonly step: number
  readonly during: boolean
  readonly intent: number
  /** The order whose terms the payer signed, and the transaction that carries it. */
  readonly paid: number
  readonly payer: number
  readonly transaction: number
  /** The node that gets the request does not know the newest blocks. */
  readonly isLagging: boolean
}

export type Payment = {
  readonly type: 'send'
  readonly step: number
  /** Numbered within the history; names the transaction's hash. */
  readonly transaction: number
  readonly envelope: Envelope | 'relay'
  readonly parts: readonly PartPlan[]
  /** The transaction's submitter adds a reference of their own to each payment in it. */
  readonly attack: AttackPlan | null
}

export type AttackPlan = {
  /** The attacker's own order. */
  readonly intent: number
  /** In an operation of the attacker's, or in unsigned bytes. */
  readonly as: 'operation' | 'bytes'
  readonly first: boolean
}

/** A part of a transaction, before its intents' amounts are known. */
export type PartPlan = {
  readonly intent: number
  readonly payer: number
  readonly amount:
    | 'payable'
    | 'price'
    | 'one_less'
    | 'half'
    | 'double'
    | 'zero'
    /** Below 1 % of the price. */
    | 'dust'
    /** The payable amount in whole cents. */
    | 'rounded'
    /** The payable amount, less what an exchange keeps. */
    | 'less_fee'
    | number
  /** `other`: of another order of this merchant; `foreign`: of another merchant's. */
  readonly reference: 'intended' | 'none' | 'truncated' | 'other' | 'foreign' | 'half_byte_off'
  /** The meaning of the nonce of the payer's authorization, if the envelope holds an authorization; `drawn`: for {@link AuthorizationAction}. */
  readonly nonce: 'intended' | 'other' | 'random' | 'drawn' | 'none'
  readonly called: boolean
  readonly moved: boolean
  /** To the neighbour's wallet, with this intent's terms. */
  readonly misdirected: boolean
  /** From the wallet that is paid. */
  readonly toSelf: boolean
  /** In the token that payers mistake for USDC, if the chain has such a token. */
  readonly lookalike: boolean
}

/** A merchant refunds an intent, or a part of it. */
export type RefundRequest = {
  readonly type: 'refund'
  readonly step: number
  readonly during: boolean
  readonly intent: number
  /** Numbered within the history. */
  readonly refund: number
  /** The fraction of the price; 1: all that is refundable. */
  readonly divisor: number
}

/** A merchant's request to the service. */
export type MerchantRequest = {
  readonly step: number
  readonly during: boolean
  readonly intent: number
  /** Requested by the neighbour. */
  readonly stranger: boolean
} & (
  | { readonly type: 'cancel' | 'accept' }
  /**
   * A transfer: unmatched, of another order at the wallet after its first, of any order at the
   * wallet, or of the neighbour's.
   */
  | {
      readonly type: 'assign'
      readonly of: 'unmatched' | 'extra' | 'intended' | 'neighbours'
      readonly which: number
    }
)

export type History = {
  readonly wallet: number
  readonly actions: readonly Action[]
}
