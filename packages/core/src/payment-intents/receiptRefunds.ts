import type { Receipt, RefundStatus } from '@payment-intents/contract'
import type { Hex } from 'viem'
import { checksummed } from '../lib/checksummed.ts'
import type { Refund } from '../refunds/refund.ts'

/** A receipt lists refunds that have moved money or may still do so. A canceled refund was never paid. */
export const receiptRefundStatuses = ['succeeded', 'pending'] as const satisfies RefundStatus[]

/** The fields of a refund that a receipt shows: none for the merchant alone. */
export type ReceiptRefund = Pick<
  Refund,
  'id' | 'status' | 'amount' | 'reference' | 'salt' | 'destination' | 'from'
> & {
  /** The hash of the transfer that pays it; null until it is in a block. */
  readonly txHash: Hex | null
}

/** @returns no property without refunds: such a receipt keeps its bytes */
export function presentReceiptRefunds(
  refunds: readonly ReceiptRefund[],
): Pick<Receipt, 'refunds'> | null {
  const listed = refunds.flatMap((refund) => {
    const { destination, from } = refund
    const isListed = receiptRefundStatuses.some((status) => status === refund.status)
    if (!isListed || destination === null || from === null) return []
    return {
      id: refund.id,
      status: refund.status,
      amount_units: Number(refund.amount),
      destination: checksummed(destination),
      from: checksummed(from),
      tx_hash: refund.txHash,
      salt: refund.salt,
      refund_reference: refund.reference,
    }
  })
  return listed.length > 0 ? { refunds: listed } : null
}
