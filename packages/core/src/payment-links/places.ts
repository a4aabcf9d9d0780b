import { type Applied, applyFacts } from '../payment-intents/applyFacts.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { isPaid } from '../payment-intents/status.ts'
import type { Fact } from '../payment-intents/transition.ts'

// A link with `max_payments` has as many places. An intent takes a place as soon as an authorization for it is
// accepted, or enough for it is in a block, and returns it if neither is so any more. Taking and returning a place
// locks the intent first, then its link.

/**
 * Whether an intent holds a place of its link.
 * @param isInFlight an authorization may still pay it
 */
export function holdsPlace(
  { status, exceptions }: Pick<Intent, 'status' | 'exceptions'>,
  isInFlight: boolean,
): boolean {
  if (isInFlight || status === 'pending_confirmations') return true
  return status === 'succeeded' && !exceptions.includes('reorged')
}

/** The places of a link during a change of one of its intents. */
export type Places = {
  /** Whether this intent holds a place before the facts. */
  readonly isHolding: boolean
  /** How many are left; null: the link has no limit. */
  readonly remaining: number | null
}

/**
 * Applies facts to an intent of a link. Without a free place, an open intent is canceled, and a payment that would need
 * a place is `late`.
 */
export function applyWithPlaces(intent: Intent, facts: readonly Fact[], places: Places): Applied {
  const { isHolding, remaining } = places
  if (isHolding || remaining === null || remaining > 0) return applyFacts(intent, facts)
  const closed = applyFacts(intent, [...facts, { type: 'link_used_up' }])
  if (isPaid(intent) || !isPaid(closed.intent)) return closed
  return applyFacts(intent, [{ type: 'link_used_up' }, ...facts])
}
