import {
  type DeliveriesQueued,
  type Event,
  endpoints,
  type ListEvents,
  type Metadata,
  type RedeliverEvent,
} from '@payment-intents/contract'
import type { ReadOptions } from '../options/options.ts'
import type { List } from '../requests/list.ts'
import { method } from '../requests/method.ts'
import type { Send } from '../requests/send.ts'

export type Events<M = Metadata> = {
  /**
   * Lists events, oldest first, from 30 days ago or from `starting_after` on. Continuing after the last event that
   * was seen misses none.
   *
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * const client = createClient()
   *
   * export async function catchUp(lastSeen: string | undefined): Promise<string | undefined> {
   *   const since = lastSeen === undefined ? {} : { starting_after: lastSeen }
   *   for await (const event of client.events.list({ ...since, limit: 100 })) {
   *     console.log(event.type, event.data.object.id)
   *     lastSeen = event.id // Kept with what the event changed.
   *   }
   *   return lastSeen
   * }
   * ```
   */
  list(params?: ListEvents, options?: ReadOptions): List<Event<M>>

  /**
   * Retrieves an event.
   *
   * @throws PaymentIntentsError `not_found`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function typeOf(eventId: string): Promise<string> {
   *   const event = await createClient().events.retrieve(eventId)
   *   return event.type
   * }
   * ```
   */
  retrieve(id: string, options?: ReadOptions): Promise<Event<M>>

  /**
   * Sends an event again to your enabled webhook endpoints, or only to `webhook_endpoint`, even if it was delivered
   * before.
   *
   * @returns the number of deliveries that were queued
   * @throws PaymentIntentsError `not_found`, or `conflict` with reason `illegal_state` when the endpoint is disabled
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function sendAgain(eventId: string): Promise<number> {
   *   const { deliveries } = await createClient().events.redeliver(eventId)
   *   return deliveries
   * }
   * ```
   */
  redeliver(id: string, params?: RedeliverEvent, options?: ReadOptions): Promise<DeliveriesQueued>
}

export function events(send: Send): Events {
  return {
    list: method(send, endpoints.listEvents),
    retrieve: method(send, endpoints.retrieveEvent),
    redeliver: method(send, endpoints.redeliverEvent),
  }
}
