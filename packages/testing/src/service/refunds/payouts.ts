import { type Address, type Chain, chainFacts } from '@payment-intents/contract'
import type { ObservedTransfer, RefundFact } from '@payment-intents/core'
import type { Hex } from 'viem'
import { applyToRefund, type RefundRecords } from './refundRecords.ts'

/** A transfer by the merchant, such as the payment of a refund. Addresses are lower-case. */
export type Payout = {
  readonly chain: Chain
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  readonly nonce: Hex | null
}

/** Puts a transfer of the merchant into the newest block. */
export function pay(
  { merchant, ids, seconds, headOf, payouts }: RefundRecords,
  { chain, ...payout }: Payout,
): ObservedTransfer {
  const { chainId, usdc } = chainFacts(merchant.mode, chain)
  const token = usdc.toLowerCase() as Address
  const transfer = {
    ...payout,
    ...{ chainId, chain, token, txHash: ids.hash(), blockHash: ids.hash() },
    ...{ blockNumber: BigInt(headOf(chain)), blockTimestamp: seconds() },
    ...{ logIndex: payout.nonce ? 1 : 0, authorizationNonce: payout.nonce },
  }
  payouts.set(transfer.txHash, transfer)
  return transfer
}

/** Puts signed refunds into the newest block of a chain. */
export function settleSigned(records: RefundRecords, chain: Chain): void {
  const { signed, refunds, seconds, ids, clock } = records
  for (const [id, { from, to, validBefore }] of signed) {
    const refund = refunds.get(id)
    if (refund?.chain !== chain || !refund.isSigned || validBefore <= seconds()) continue
    const { amount, reference: nonce } = refund
    const paid = pay(records, { chain, from, to, amount, nonce })
    const transfer = { ...paid, id: ids.next('tr', clock.now) }
    applyToRefund(
      records,
      { ...refund, isSigned: false },
      { type: 'transfer_seen', transfer },
      head(records, chain, transfer.id),
    )
  }
}

/** Counts confirmations up to the newest block of a chain, and expires signatures. */
export function readHead(records: RefundRecords, chain: Chain): void {
  for (const refund of [...records.refunds.values()]) {
    if (refund.chain !== chain) continue
    const isSigned = refund.isSigned && isValid(records, refund.id)
    const fact = head(records, chain, refund.transfer?.id)
    applyToRefund(records, { ...refund, isSigned }, fact)
  }
}

/** Removes the payments in these blocks. A signature that is still valid is broadcast again. */
export function reorg(records: RefundRecords, chain: Chain, fromBlock: number): void {
  const { payouts, refunds } = records
  for (const [txHash, payout] of payouts) {
    if (payout.chain === chain && payout.blockNumber >= BigInt(fromBlock)) payouts.delete(txHash)
  }
  for (const refund of [...refunds.values()]) {
    const { transfer } = refund
    if (refund.chain !== chain || !transfer || transfer.blockNumber < BigInt(fromBlock)) continue
    const isSigned = refund.attachedTxHash === null && isValid(records, refund.id)
    const fact = { type: 'transfer_orphaned', transferId: transfer.id } as const
    applyToRefund(records, { ...refund, isSigned }, fact)
  }
}

function isValid({ signed, seconds }: RefundRecords, refundId: string): boolean {
  return (signed.get(refundId)?.validBefore ?? 0) > seconds()
}

/** Every transfer here is on the canonical chain. */
function head(
  { headOf, seconds }: RefundRecords,
  chain: Chain,
  transferId: string | undefined,
): RefundFact {
  const proven = new Set(transferId === undefined ? [] : [transferId])
  return { type: 'head', blockNumber: BigInt(headOf(chain)), timestamp: seconds(), proven }
}
