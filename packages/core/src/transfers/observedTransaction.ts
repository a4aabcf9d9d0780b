import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { ReferencedCall } from './referencedCalls.ts'

/** One Transfer log to a watched wallet. Addresses and hashes are lower-case. */
export type TransferLog = {
  readonly logIndex: number
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  /** USDC, or a token that payers mistake for it. */
  readonly token: Address
  /** EIP-3009: the nonce of the `AuthorizationUsed` log right before it, if the payer's. */
  readonly authorizationNonce: Hex | null
}

/**
 * Skips transfers of nothing, which address poisoning sends to imitate an address, and transfers of a wallet to itself,
 * which add nothing.
 */
export function movesMoney({ from, to, amount }: Pick<TransferLog, 'from' | 'to' | 'amount'>) {
  return amount > 0n && from !== to
}

/** The parts of a transaction that matter for payments. */
export type ObservedTransaction = {
  readonly txHash: Hex
  readonly sender: Address
  /** The contract that was called; null for a contract creation. */
  readonly to: Address | null
  /** USDC on this chain. */
  readonly token: Address
  readonly input: Hex
  readonly blockNumber: bigint
  /** Block timestamp, Unix seconds. */
  readonly timestamp: number
  /** In the order of their log indexes. */
  readonly transfers: readonly TransferLog[]
  /** Its calls with references, by `referencedCalls`. */
  readonly calls: readonly ReferencedCall[]
}
