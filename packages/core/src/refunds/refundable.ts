import type { Address } from '@payment-intents/contract'
import type { Refund } from './refund.ts'

/** The source of a refund, as the chain's follower knows it. Nobody else changes it during a decision. */
export type RefundSource = {
  /** The canonical transfers that are credited to the intent, or the one transfer. */
  readonly transfers: readonly {
    readonly from: Address
    readonly blockNumber: bigint
    readonly amount: bigint
  }[]
  readonly confirmationsRequired: number
  /** The last block that was read; null: none yet. */
  readonly head: bigint | null
  /** Refunds of the source. */
  readonly refunds: readonly Pick<Refund, 'id' | 'status' | 'amount' | 'destination'>[]
}

/** Units that were finally received: in transfers with the required depth, late ones included. */
function finalUnits({ transfers, confirmationsRequired, head }: RefundSource): bigint {
  if (head === null) return 0n
  const isDeep = ({ blockNumber }: { blockNumber: bigint }) =>
    head - blockNumber + 1n >= BigInt(confirmationsRequired)
  return sumOf(transfers.filter(isDeep))
}

/** Units that an account has finally paid, less those that other refunds pay back to it. */
export function paidUnits(source: RefundSource, account: Address, refundId: string): bigint {
  const transfers = source.transfers.filter(({ from }) => from === account)
  const refunds = notCanceledRefunds(source).filter(({ id, destination }) => {
    return id !== refundId && destination === account
  })
  return finalUnits({ ...source, transfers }) - sumOf(refunds)
}

/** Units that can be refunded and are in no other refund. */
export function refundableUnits(source: RefundSource): bigint {
  return finalUnits(source) - sumOf(notCanceledRefunds(source))
}

/** Whether the finally received amount covers every refund that is not canceled. */
export function isCovered(source: RefundSource): boolean {
  return refundableUnits(source) >= 0n
}

export function notCanceledRefunds({ refunds }: Pick<RefundSource, 'refunds'>) {
  return refunds.filter(({ status }) => status !== 'canceled')
}

function sumOf(items: readonly { readonly amount: bigint }[]): bigint {
  return items.reduce((sum, { amount }) => sum + amount, 0n)
}
