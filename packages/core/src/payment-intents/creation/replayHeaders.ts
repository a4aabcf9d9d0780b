import type { PaymentIntentStatus } from '@payment-intents/contract'

/** Tells that the intent has ended since its response was stored. */
const ended: readonly (PaymentIntentStatus | null)[] = ['succeeded', 'expired', 'canceled']

/**
 * The headers of a creation that is replayed from its idempotency key, byte for byte as the first time.
 *
 * @param status of the intent now; null when it is kept no longer
 */
export function replayHeaders(status: PaymentIntentStatus | null): Record<string, string> {
  const now = status && ended.includes(status) ? { 'payment-intent-status': status } : {}
  return { 'idempotent-replayed': 'true', ...now }
}
