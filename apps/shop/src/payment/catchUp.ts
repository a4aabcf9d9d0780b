import type { DatabaseSync } from 'node:sqlite'
import { type Client, type Event, isPaymentIntentsError } from '@payment-intents/node'
import { findCursor, forgetCursor, moveCursor } from '../db/eventCursor.ts'

/**
 * Passes on the events since the last call, oldest first, and only those before `before` if it is set. If it is
 * interrupted, the next call continues from there.
 *
 * @throws PaymentIntentsError when the payment API cannot be reached or refuses
 */
export async function catchUp(
  deps: { client: Client; db: DatabaseSync; onEvent(event: Event): void },
  options: { before: Date | undefined; signal: AbortSignal },
): Promise<void> {
  const { client, db } = deps
  // By the service's clock, which may differ from this clock.
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
    // The API does not know the event, or its database was replaced: reads all events again.
    forgetCursor(db)
    await catchUp(deps, options)
  }
}
