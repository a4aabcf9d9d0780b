import { listPaymentIntentsSchema } from '@payment-intents/contract'
import { UsageError } from './usageError.ts'

/** A date alone is its midnight in UTC. */
export function readTime(flag: string, text: string): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text
  if (!listPaymentIntentsSchema.safeParse({ created_after: time }).success) {
    throw new UsageError(
      `${flag} must be a date or a time with its offset, like 2026-01-31 or 2026-01-31T00:00:00+01:00.`,
    )
  }
  return new Date(time).toISOString()
}
