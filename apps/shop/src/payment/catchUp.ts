import type { DatabaseSync } from 'node:sqlite'
import { type Client, type Event, isPaymentIntentsError } from '@payment-intents/node'
import { findCursor, forgetCursor, moveCursor } from '../db/eventCursor.ts'

/**
 * Hands on the events that were written since the last time and before `before`, oldest first. Ended at any moment, it
 * goes on from there the next time.
 *
 * @throws PaymentIntentsError when the payment API cannot be reached or refuses
 */
export async function catchUp(
  deps: { client: Client; db: DatabaseSync; onEvent(event: Event): void },
  options: { before: Date; signal: AbortSignal },
): Promise<void> {
  const { client, db } = deps
  const cursor = findCursor(db)
  const from = cursor === undefined ? {} : { starting_after: cursor }
  try {
    const events = client.events.list({ ...from, limit: 100 }, { signal: options.signal })
    for await (const event of events) {
      if (Date.parse(event.created_at) >= options.before.getTime()) return
      deps.onEvent(event)
      moveCursor(db, event.id)
    }
  } catch (error) {
    const isForgotten = isPaymentIntentsError(error) && error.code === 'invalid_body'
    if (cursor === undefined || !isForgotten) throw error
    // The API keeps events for 30 days, and knows no other merchant's: then all that it has is read again.
    forgetCursor(db)
    await catchUp(deps, options)
  }
}
