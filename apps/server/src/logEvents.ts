import type { NewEvent } from './db/events/events.ts'

type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
}

/** Events that have a line of their own, at most. */
const loggedAtMost = 100

/** One line for each event that was written. An intent that nobody paid, and that expires, is no news. */
export function logEvents(
  log: Log,
  chainId: number,
  events: readonly Pick<NewEvent, 'type' | 'intentId' | 'transferId' | 'object'>[],
): void {
  for (const { type, intentId, transferId, object } of events.slice(0, loggedAtMost)) {
    const about = intentId ? { payment_intent: intentId } : { transfer: transferId }
    const isNews = type !== 'payment_intent.expired' || JSON.parse(object).amount_received_units > 0
    log[isNews ? 'info' : 'debug']({ chain_id: chainId, event: type, ...about }, 'recorded')
  }
  if (events.length > loggedAtMost) {
    log.info({ chain_id: chainId, events: events.length - loggedAtMost }, 'recorded, and more')
  }
}
