import type { PaymentIntentException } from '@payment-intents/contract'
import type { CreditedTransfer, Intent } from './intent.ts'
import { withoutDust } from './payingTransfers.ts'

/** The exceptions of a complete payment. */
export function paidExceptions(
  intent: Intent,
  paid: readonly CreditedTransfer[] | null,
): PaymentIntentException[] {
  if (!paid) return []
  const sum = paid.reduce((total, transfer) => total + transfer.amount, 0n)
  const exceptions: PaymentIntentException[] = []
  if (sum < intent.amount) exceptions.push('underpaid')
  if (sum > intent.payable) exceptions.push('overpaid')
  if (paid.some((transfer) => transfer.blockTimestamp > intent.expiresAt)) exceptions.push('late')
  if (withoutDust(intent).length > paid.length) exceptions.push('multiple')
  return exceptions
}

/** The exceptions of an incomplete payment. `reorged` stays until the intent is paid. */
export function unpaidExceptions(intent: Intent): PaymentIntentException[] {
  const { status, expiresAt } = intent
  const transfers = withoutDust(intent)
  const late = (transfer: CreditedTransfer) =>
    status === 'canceled' || transfer.blockTimestamp > expiresAt
  const exceptions: PaymentIntentException[] = []
  if (transfers.some((transfer) => !late(transfer))) exceptions.push('underpaid')
  if (transfers.some(late)) exceptions.push('late')
  if (intent.exceptions.includes('reorged')) exceptions.push('reorged')
  return exceptions
}
