import type { Chain } from '@payment-intents/contract'
import type { Actor, ReceiptRefund } from '@payment-intents/core'
import type { Hex } from 'viem'
import type { Records } from '../store/records.ts'
import { type Payout, pay, readHead, reorg, settleSigned } from './payouts.ts'
import type { RefundRecords } from './refundRecords.ts'
import {
  type ChangeRequest,
  type CreationRequest,
  changeRefund,
  createRefund,
  type DecideChange,
  type DecideCreation,
  refundStore,
} from './refundStore.ts'

export type Refunds = ReturnType<typeof createRefunds>

/** The merchant's refunds, and the transfers that pay them. */
export function createRefunds(service: Records, headOf: (chain: Chain) => number) {
  const records: RefundRecords = {
    ...{ ...service, headOf },
    ...{ signed: new Map(), payouts: new Map(), refundCreations: new Map() },
  }
  const { refunds, payouts } = records
  return {
    store: refundStore(records),
    create: (actor: Pick<Actor, 'mode'>, request: CreationRequest, decide: DecideCreation) =>
      createRefund(records, actor, request, decide),
    change: (request: ChangeRequest, decide: DecideChange) =>
      changeRefund(records, request, decide),
    pay: (payout: Payout) => pay(records, payout),
    settleSigned: (chain: Chain) => settleSigned(records, chain),
    readHead: (chain: Chain) => readHead(records, chain),
    reorg: (chain: Chain, fromBlock: number) => reorg(records, chain, fromBlock),
    readTransaction: async (txHash: Hex) => {
      const payout = payouts.get(txHash)
      return payout ? [payout] : ('unknown' as const)
    },
    /** The refunds that an intent's receipt may list, oldest first. */
    refundsOf: (intentId: string): ReceiptRefund[] =>
      [...refunds.values()]
        .filter((refund) => refund.intentId === intentId)
        .map((refund) => ({ ...refund, txHash: refund.transfer?.txHash ?? null })),
    /** Oldest first. */
    ofIntent: (id: string) => [...refunds.values()].filter(({ intentId }) => intentId === id),
    isRefunded: (transferId: string) =>
      [...refunds.values()].some((refund) => {
        return refund.transferId === transferId && refund.status !== 'canceled'
      }),
  }
}
