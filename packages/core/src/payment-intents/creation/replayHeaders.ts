import type { PaymentIntentStatus } from '@payment-intents/contract'

/** Says that the intent has ended since its response was stored. */
const ended: readonly (PaymentIntentStatus | null)[] = ['succeeded', 'expired', 'canceled']

/**
 * The headers of a replayed creation, byte for byte as the first time.
 * @param status of the intent now; null if it is no longer kept
 */
export function replayHeaders(status: PaymentIntentStatus | null): Record<string, string> {
  const now = status && ended.includes(status) ? { 'payment-intent-status': status } : {}
  return { 'idempotent-replayed': 'true', ...now }
}
