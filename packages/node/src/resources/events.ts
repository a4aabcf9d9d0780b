import {
  type DeliveriesQueued,
  type Event,
  endpoints,
  type ListEvents,
  limits,
  type Metadata,
  type RedeliverEvent,
} from '@payment-intents/contract'
import type { ReadOptions } from '../options/clientOptions.ts'
import type { List } from '../requests/list.ts'
import { method } from '../requests/method.ts'
import { pause } from '../requests/retry.ts'
import type { Send } from '../requests/send.ts'

export type Events<M = Metadata> = {
  /**
   * Lists events, oldest first, from 30 days ago or from `starting_after` on. To miss no event, continue after the last
   * event that you have seen.
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
   *     lastSeen = event.id // Store it together with the effects of the event.
   *   }
   *   return lastSeen
   * }
   * ```
   */
  list(params?: ListEvents, options?: ReadOptions): List<Event<M>>

  /**
   * Yields events, oldest first, and waits for new events until the signal is aborted, or a request fails more often
   * than `maxRetries`. It begins after `starting_after`, or 30 days ago.
   *
   * The service holds each request for up to 25 seconds; `timeout` begins after that.
   *
   * @throws PaymentIntentsError also `aborted`, by the signal
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * const client = createClient()
   *
   * export async function watch(lastSeen: string): Promise<void> {
   *   for await (const event of client.events.follow({ starting_after: lastSeen })) {
   *     console.log(event.type, event.data.object.id)
   *   }
   * }
   * ```
   */
  follow(params?: Omit<ListEvents, 'wait'>, options?: ReadOptions): AsyncGenerator<Event<M>, never>

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
  const list = method(send, endpoints.listEvents)
  return {
    list,
    follow: (params, options) => follow(list, params, options),
    retrieve: method(send, endpoints.retrieveEvent),
    redeliver: method(send, endpoints.redeliverEvent),
  }
}

/** The wait after an empty page that arrived too soon, such as from a server that is about to stop. */
const pauseMs = 1_000

async function* follow(
  list: Events['list'],
  params: Omit<ListEvents, 'wait'> = {},
  options?: ReadOptions,
): AsyncGenerator<Event, never> {
  for (let query = { limit: 100, ...params, wait: limits.longPollSeconds }; ; ) {
    const startedAt = performance.now()
    const { data } = await list(query, options)
    for (const event of data) {
      yield event
      query = { ...query, starting_after: event.id }
    }
    const isEarly = data.length === 0 && performance.now() - startedAt < pauseMs
    if (isEarly) await pause(pauseMs, options?.signal)
  }
}
