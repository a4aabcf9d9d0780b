import { sha256, stringToBytes } from 'viem'
import { conflict } from '../http/httpError.ts'
import { cancel } from '../payment-intents/actions.ts'
import { isPaid } from '../payment-intents/status.ts'
import type { Service } from '../service.ts'
import type { PaymentLink } from './paymentLink.ts'
import type { VisitorPayment } from './store.ts'

/** Names a visitor by the hash of their key, which opens what they pay and is kept nowhere. */
export function visitorName(key: string): string {
  return sha256(stringToBytes(key))
}

/** The newest intent of a visitor of a link, if it can still be paid or is paid. */
export async function findCurrent(
  { store, clock }: Pick<Service, 'store' | 'clock'>,
  link: PaymentLink,
  visitor: string,
): Promise<VisitorPayment | null> {
  const payment = await store.paymentLinks.findPayment(link.id, visitor)
  if (!payment) return null
  const isInTime = payment.expiresAt * 1_000 > clock(payment.chainId).now
  const isOpen = payment.status === 'requires_payment' && isInTime
  return isOpen || isPaid(payment) ? payment : null
}

/**
 * Cancels an intent of a link that nothing has come for.
 *
 * @throws {HttpError} `conflict` with reason `payment_in_flight` if something has, or is on its way
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
  const message = 'Something of the payment that is open was received, or is on its way.'
  throw conflict('payment_in_flight', message)
}
