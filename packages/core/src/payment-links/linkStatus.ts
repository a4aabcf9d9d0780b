import type { PaymentLinkStatus } from '@payment-intents/contract'
import type { PaymentLink } from './paymentLink.ts'

/**
 * Whether payers can pay a link.
 * @param now Unix milliseconds
 */
export function linkStatus(link: PaymentLink, now: number): PaymentLinkStatus {
  if (!link.active) return 'inactive'
  if (link.expiresAt !== null && link.expiresAt <= now) return 'expired'
  return isUsedUp(link) ? 'used_up' : 'open'
}

/** Whether a link has no place left. */
export function isUsedUp({
  maxPayments,
  paymentsCount,
}: Pick<PaymentLink, 'maxPayments' | 'paymentsCount'>): boolean {
  return maxPayments !== null && paymentsCount >= maxPayments
}
