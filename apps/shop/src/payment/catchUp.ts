import type { DatabaseSync } from 'node:sqlite'
import { type Client, type Event, isPaymentIntentsError } from '@payment-intents/node'
import { findCursor, forgetCursor, moveCursor } from '../db/eventCursor.ts'

/**
 * Hands on the events that were written since the last time and before `before`, if that is told, oldest first. Ended at
 * any moment, it goes on from there the next time.
 *
 * @throws PaymentIntentsError when the payment API cannot be reached or refuses
 */
export async function catchUp(
  deps: { client: Client; db: DatabaseSync; onEvent(event: Event): void },
  options: { before: Date | undefined; signal: AbortSignal },
): Promise<void> {
  const { client, db } = deps
  // In milliseconds of the service's clock, which need not be this one.
  const end = options.before?.getTime() ?? Number.POSITIVE_INFINITY
  const cursor = findCursor(db)
  const from = cursor === undefined ? {} : { starting_after: cursor }
  try {
    const events = client.events.list({ ...from, limit: 100 }, { signal: options.signal })
    for await (const event of events) {
      if (Date.parse(event.created_at) >= end) return
      deps.onEvent(event)
      moveCursor(db, event.id)
    }
  } catch (error) {
    const isForgotten = isPaymentIntentsError(error) && error.code === 'invalid_body'
    if (cursor === undefined || !isForgotten) throw error
    // The event is not of this API, or of a database that is gone: then all that it lists is read again.
    forgetCursor(db)
    await catchUp(deps, options)
  }
}
