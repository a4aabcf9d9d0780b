import { sha256, stringToBytes } from 'viem'
import { conflict } from '../http/httpError.ts'
import { cancel } from '../payment-intents/paymentIntentActions.ts'
import { isPaid } from '../payment-intents/status.ts'
import type { Service } from '../service.ts'
import type { PaymentLink } from './paymentLink.ts'
import type { VisitorPayment } from './store.ts'

/** The hash of a visitor's key names the visitor. The key opens their payments and is not stored. */
export function visitorName(key: string): string {
  return sha256(stringToBytes(key))
}

/** Whether the newest intent of a visitor can still be paid, or is paid. */
export function isCurrent(
  { clock }: Pick<Service, 'clock'>,
  payment: VisitorPayment | null,
): payment is VisitorPayment {
  if (!payment) return false
  const isBeforeDeadline = payment.expiresAt * 1_000 > clock(payment.chainId).now
  return isPaid(payment) || (payment.status === 'requires_payment' && isBeforeDeadline)
}

/**
 * Cancels an intent of a link that nothing was sent for.
 * @throws {HttpError} `conflict` with reason `payment_in_flight` if a payment was received or is on its way
 */
export async function cancelPayment(
  { store }: Pick<Service, 'store'>,
  { merchantId, mode }: PaymentLink,
  intentId: string,
): Promise<void> {
  const result = await store.paymentIntents.underLock(
    { merchantId, mode },
    { intent: intentId },
    (locked) => cancel(locked, intentId),
  )
  if (result.type === 'done') return
  const message =
    'The open payment of this visitor has received money or is in flight: wait until it ends.'
  throw conflict('payment_in_flight', message)
}
