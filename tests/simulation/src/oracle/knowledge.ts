import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Chain } from '../chain/chain.ts'

/** An intent as the creation returned it. */
export type Promised = {
  readonly id: string
  readonly history: number
  readonly merchantId: string
  readonly chainId: number
  readonly wallet: Address
  readonly amount: bigint
  readonly payable: bigint
  /** No distinct amount was left for it: its payable amount is the price. */
  readonly referenceOnly: boolean
  readonly reference: Hex
  readonly confirmations: number
  /** Unix seconds. */
  readonly createdAt: number
  readonly expiresAt: number
  /** Up to where the chain had been read then; null when nothing had been read. */
  readonly readTo: ReadTo | null
  /** Orders the creation among the blocks. */
  readonly moment: number
}

/** `timestamp` in Unix seconds; `hash` null when the block is unknown. */
export type ReadTo = { readonly timestamp: number; readonly hash: Hex | null }

/** A merchant's requests that were granted. */
export type Decision = {
  readonly canceled: boolean
  /** The amount received when the merchant settled for it, or the price if that was less. */
  readonly accepted: bigint | null
  /** Money of the intent was taken back since, so it may be for the merchant to accept again. */
  readonly lapsed: boolean
}

/** An authorization that was taken for an intent. */
type SubmittedAuthorization = {
  readonly intentId: string
  readonly authorizer: Address
  readonly nonce: Hex
  /** Orders it among blocks and transactions. */
  readonly moment: number
  /** A transfer by it was recorded before. */
  readonly wasRecorded: boolean
}

/** A refund as its merchant knows it. */
export type PromisedRefund = {
  readonly id: string
  readonly history: number
  /** Numbered within the history. */
  readonly number: number
  readonly intentId: string
  readonly reference: Hex
  readonly amount: bigint
  readonly confirmations: number
  /** The merchant's wallet, which pays it. */
  readonly wallet: Address
  /** null: nobody has named it. */
  destination: Address | null
  /** Whether the merchant has named or confirmed the destination. */
  isConfirmed: boolean
  /** The destinations that its payer has named, the latest last. */
  readonly claims: Address[]
  /** Unix seconds until which each accepted signature is valid; the latest last. */
  readonly signed: { readonly to: Address; readonly validBefore: number }[]
  /** Transactions that were sent to pay it by hand. */
  readonly byHand: Hex[]
}

/** Everything that happened, apart from the service's results. */
export type Knowledge = {
  readonly chain: Chain
  readonly chainId: number
  /** The wallets that merchants are paid at when a request names none, and whose they are. */
  readonly configured: ReadonlyMap<Address, string>
  /** Those of them that the plain price is matched at. */
  readonly plainPriceAt: ReadonlySet<Address>
  readonly intents: Map<string, Promised>
  /** All merchants who ever requested payment to a wallet, on either chain. */
  readonly requestedAt: Map<Address, Promised[]>
  /** The addresses in each merchant's own lists, and whether requests may name those alone. */
  readonly lists: ReadonlyMap<string, { addresses: ReadonlySet<Address>; limited: boolean }>
  /** The merchants who have proven a wallet. */
  readonly proofs: ReadonlyMap<Address, readonly string[]>
  /** The merchant who first named an address that is in no list. */
  readonly owners: Map<Address, string>
  /** The status of each intent when it was last looked at. */
  readonly statuses: Map<string, string>
  /** Intents that were paid at some time, with any later outcome. */
  readonly everPaid: Set<string>
  readonly submitted: SubmittedAuthorization[]
  /** Refunds in the order of their creation. */
  readonly refunds: PromisedRefund[]
  /** When each intent was canceled. */
  readonly canceledAt: Map<string, number>
  /** Transfers that a merchant moved away from an intent, by their rows. */
  readonly moved: { readonly from: string; readonly transferId: string; reported: boolean }[]
  /** The intents that a transaction's transfers were assigned to, under {@link transferKey}. */
  readonly assigned: Map<string, readonly string[]>
  readonly decisions: Map<string, Decision>
  /** The newest block when the service last lost the headers that link new blocks to those it had read. */
  headersLostAt: bigint
}

export const undecided: Decision = {
  canceled: false,
  accepted: null,
  lapsed: false,
}

/** Equal transfers of one transaction: which of them is whose cannot be distinguished, and need not be. */
export function transferKey(transfer: {
  txHash: Hex
  from: Address
  to: Address
  amount: bigint
}): string {
  const { txHash, from, to, amount } = transfer
  return [txHash, from, to, amount].join(':')
}

const lateWindowSeconds = 24 * 60 * 60

/** When a payment stops being recognised, Unix seconds. */
export function until(intent: Promised): number {
  return intent.expiresAt + lateWindowSeconds
}
