import type { Address, Chain } from '@payment-intents/contract'
import {
  type AppliedToRefund,
  applyRefundFacts,
  attentionOfRefund,
  type ChangedRefund,
  type ObservedTransfer,
  type Refund,
  type RefundAuthorization,
  type RefundFact,
  type RefundSource,
  type WalletRole,
  type WrittenEvent,
} from '@payment-intents/core'
import type { Hex } from 'viem'
import type { RecordedEvent, Records } from '../store/records.ts'

/** The service's records, and those of refunds alone. */
export type RefundRecords = Records & {
  headOf(chain: Chain): number
  /** The signature of each refund that was submitted last. */
  readonly signed: Map<string, RefundAuthorization>
  /** The transfers that the merchant made, by hash. */
  readonly payouts: Map<Hex, ObservedTransfer & { readonly chain: Chain }>
  /** Responses by idempotency key. */
  readonly refundCreations: Map<string, { fingerprint: string; response: string; at: number }>
}

/** The payment that a refund returns. */
export function sourceOf(
  { transfers, refunds, headOf }: RefundRecords,
  { intentId, transferId, chain }: Pick<Refund, 'intentId' | 'transferId' | 'chain'>,
  confirmationsRequired: number,
): RefundSource {
  return {
    transfers: [...transfers.values()].filter(({ id, intentId: creditedTo, orphaned }) => {
      return !orphaned && (intentId === null ? id === transferId : creditedTo === intentId)
    }),
    confirmationsRequired,
    head: BigInt(headOf(chain)),
    refunds: [...refunds.values()].filter((refund) => {
      return refund.intentId === intentId && refund.transferId === transferId
    }),
  }
}

export function roleOf(
  { merchant, intents }: RefundRecords,
  address: Address | undefined,
): WalletRole {
  if (address === undefined) return 'foreign'
  const registered = [...Object.values(merchant.wallets), ...merchant.refundWallets]
  if (registered.includes(address)) return 'registered'
  return [...intents.values()].some(({ wallet }) => wallet === address) ? 'own' : 'foreign'
}

/** Saves the effect of facts on a refund and on its intent. */
export function saveRefund(
  { intents, refunds, write, note, saveIntent }: RefundRecords,
  { refund, events }: Pick<AppliedToRefund, 'refund' | 'events'>,
): RecordedEvent[] {
  refunds.set(refund.id, refund)
  note(refund.id, attentionOfRefund(refund))
  const intent = intents.get(refund.intentId ?? '')
  if (intent) {
    const sumOf = (isCounted: (status: Refund['status']) => boolean) =>
      [...refunds.values()]
        .filter(({ intentId, status }) => intentId === intent.id && isCounted(status))
        .reduce((sum, { amount }) => sum + amount, 0n)
    saveIntent({
      ...{ ...intent, version: intent.version + 1 },
      refunded: sumOf((status) => status === 'succeeded'),
      refunding: sumOf((status) => status !== 'succeeded' && status !== 'canceled'),
    })
  }
  return events.map((event) => write(event, null))
}

export function applyToRefund(
  records: RefundRecords,
  refund: Refund,
  ...facts: RefundFact[]
): void {
  const applied = applyRefundFacts(refund, facts)
  if (applied.changed) saveRefund(records, applied)
}

/** A refund with its new events. */
export function changedRefund(
  records: RefundRecords,
  refund: Refund,
  events: readonly RecordedEvent[],
): ChangedRefund {
  const { merchantId, mode } = refund
  return {
    refund,
    source: sourceOf(records, refund, refund.confirmationsRequired),
    events: events.map((event): WrittenEvent => {
      return { ...event, merchantId, mode, intentId: null, transferId: null, refundId: refund.id }
    }),
  }
}
