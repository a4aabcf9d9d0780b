import type {
  Intent,
  IntentAndTransferFilter,
  PaymentIntentFilter,
  PaymentLink,
  PaymentLinkFilter,
  Refund,
  RefundFilter,
  TransferFilter,
} from '@payment-intents/core'
import type { RecordedTransfer } from './records.ts'

// The filters of lists as predicates; an absent filter is null.

/** @param credited every transfer that was credited to the intent */
export function isIntentListed(
  intent: Intent,
  credited: readonly RecordedTransfer[],
  filter: PaymentIntentFilter,
): boolean {
  const metadata: Record<string, unknown> = JSON.parse(intent.metadata)
  return (
    is(filter.status, intent.status) &&
    is(filter.chain, intent.chain) &&
    is(filter.paymentLink, intent.paymentLink) &&
    is(filter.wallet, intent.wallet) &&
    is(filter.reference, intent.reference) &&
    isBetween(intent.createdAt, filter) &&
    (is(filter.amount, Number(intent.amount)) || is(filter.amount, Number(intent.payable))) &&
    (filter.txHash === null || credited.some(({ txHash }) => txHash === filter.txHash)) &&
    (filter.payer === null || credited.some(({ from }) => from === filter.payer)) &&
    filter.metadata.every(([key, value]) => isWritten(metadata, key, value))
  )
}

/** @param intent that the transfer is credited to, if any */
export function isTransferListed(
  transfer: RecordedTransfer,
  intent: Intent | undefined,
  filter: TransferFilter,
): boolean {
  return (
    is(filter.chain, transfer.chain) &&
    is(filter.matched, transfer.intentId !== null) &&
    is(filter.intentId, transfer.intentId) &&
    is(filter.txHash, transfer.txHash) &&
    is(filter.payer, transfer.from) &&
    is(filter.wallet, transfer.to) &&
    is(filter.reference, intent?.reference) &&
    is(filter.amount, Number(transfer.amount)) &&
    isBetween(transfer.seenAt, filter)
  )
}

export function isRefundListed(refund: Refund, filter: RefundFilter): boolean {
  return (
    is(filter.intentId, refund.intentId) &&
    is(filter.transferId, refund.transferId) &&
    is(filter.status, refund.status) &&
    is(filter.destination, refund.destination) &&
    is(filter.from, refund.from) &&
    is(filter.reference, refund.reference) &&
    is(filter.amount, Number(refund.amount)) &&
    is(filter.txHash, refund.transfer?.txHash) &&
    isBetween(refund.createdAt, filter)
  )
}

export function isLinkListed(link: PaymentLink, filter: PaymentLinkFilter): boolean {
  return is(filter.active, link.active) && isBetween(link.createdAt, filter)
}

function is<Value>(wanted: Value | null, value: Value | null | undefined): boolean {
  return wanted === null || wanted === value
}

/** @param time Unix milliseconds */
function isBetween(
  time: number,
  { createdAfter, createdBefore }: Pick<IntentAndTransferFilter, 'createdAfter' | 'createdBefore'>,
): boolean {
  return (
    (createdAfter === null || time >= createdAfter) &&
    (createdBefore === null || time < createdBefore)
  )
}

/** Whether metadata has this value at its top level: a string, or a number or boolean in JSON. */
function isWritten(metadata: Record<string, unknown>, key: string, text: string): boolean {
  const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined
  return ['string', 'number', 'boolean'].includes(typeof value) && String(value) === text
}
