import type { Address, ChainFacts } from '@payment-intents/contract'
import type { Hex } from 'viem'
import { checksummed } from '../lib/checksummed.ts'
import type { BoundBy } from '../payment-intents/intent.ts'
import { safeNumber } from '../payment-intents/present.ts'
import type { UnmatchedReason } from './bind.ts'
import type { Suggestion } from './suggest.ts'

/** A transfer to a merchant's wallet, with its outcome. Addresses are lower-case. */
export type PresentableTransfer = {
  readonly id: string
  readonly txHash: Hex
  readonly logIndex: number
  readonly blockNumber: bigint
  /** Unix seconds. */
  readonly blockTimestamp: number
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  readonly token: Address
  readonly intentId: string | null
  readonly boundBy: BoundBy | null
  readonly reason: UnmatchedReason | null
  /** Only for an unmatched transfer; most likely first. */
  readonly suggestions: readonly Suggestion[]
  readonly orphaned: boolean
  /** Unix milliseconds. */
  readonly seenAt: number
}

/** A transfer in responses and events. */
export function presentTransfer(transfer: PresentableTransfer, facts: ChainFacts) {
  return {
    id: transfer.id,
    chain: facts.chain,
    chain_id: facts.chainId,
    tx_hash: transfer.txHash,
    log_index: transfer.logIndex,
    block_number: Number(transfer.blockNumber),
    block_timestamp: new Date(transfer.blockTimestamp * 1000).toISOString(),
    from: checksummed(transfer.from),
    to: checksummed(transfer.to),
    amount_units: safeNumber(transfer.amount),
    token_address: checksummed(transfer.token),
    payment_intent: transfer.intentId,
    bound_by: transfer.boundBy,
    reason: transfer.reason,
    suggestions: transfer.suggestions.map(({ intentId, match }) => ({
      payment_intent: intentId,
      match,
    })),
    orphaned: transfer.orphaned,
    created_at: new Date(transfer.seenAt).toISOString(),
  }
}
