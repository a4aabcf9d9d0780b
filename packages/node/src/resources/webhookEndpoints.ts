import {
  type CreateWebhookEndpoint,
  type DeletedWebhookEndpoint,
  type DeliveriesQueued,
  type Event,
  endpoints,
  type ListWebhookAttempts,
  type ListWebhookDeliveries,
  type RecoverWebhookEndpoint,
  type RotateWebhookSecret,
  type UpdateWebhookEndpoint,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from '@payment-intents/contract'
import type { ReadOptions } from '../options/clientOptions.ts'
import { deleteOnce } from '../requests/deleteOnce.ts'
import type { List } from '../requests/list.ts'
import { method } from '../requests/method.ts'
import type { Send } from '../requests/send.ts'

export type WebhookEndpoints = {
  /**
   * Creates a webhook endpoint: the service posts new events to its URL. A request that may have taken effect is not
   * retried; if there was no response, check with `list` first.
   *
   * @returns the endpoint with its `secret`, which only `rotateSecret` also returns
   * @throws PaymentIntentsError `invalid_body` if the service does not post to such a URL, or `conflict` with reason
   * `illegal_state` if the maximum number of endpoints exists
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function register(url: string): Promise<string> {
   *   const endpoint = await createClient().webhookEndpoints.create({
   *     url,
   *     enabled_events: ['payment_intent.succeeded', 'transfer.unmatched'],
   *   })
   *   return endpoint.secret // For PAYMENT_INTENTS_WEBHOOK_SECRET; keep it as you keep the API key.
   * }
   * ```
   */
  create(params: CreateWebhookEndpoint, options?: ReadOptions): Promise<WebhookEndpointWithSecret>

  /**
   * Lists webhook endpoints, oldest first, in one page.
   *
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * const { data: endpoints } = await createClient().webhookEndpoints.list()
   * console.log(endpoints.filter(({ status }) => status === 'disabled'))
   * ```
   */
  list(options?: ReadOptions): List<WebhookEndpoint>

  /**
   * Retrieves a webhook endpoint, without its secret.
   *
   * @throws PaymentIntentsError `not_found`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function failingSince(endpointId: string): Promise<string | null> {
   *   const endpoint = await createClient().webhookEndpoints.retrieve(endpointId)
   *   return endpoint.failing_since // RFC 3339.
   * }
   * ```
   */
  retrieve(id: string, options?: ReadOptions): Promise<WebhookEndpoint>

  /**
   * Updates the fields that are passed. `status` disables or enables it; `recover` sends the events it missed.
   *
   * @throws PaymentIntentsError `not_found`, or `invalid_body` if the service does not post to such a URL
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function pause(endpointId: string): Promise<void> {
   *   await createClient().webhookEndpoints.update(endpointId, { status: 'disabled' })
   * }
   * ```
   */
  update(id: string, params: UpdateWebhookEndpoint, options?: ReadOptions): Promise<WebhookEndpoint>

  /**
   * Deletes a webhook endpoint. The service posts nothing to it afterwards.
   *
   * @throws PaymentIntentsError `not_found`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function unregister(endpointId: string): Promise<void> {
   *   await createClient().webhookEndpoints.delete(endpointId)
   * }
   * ```
   */
  delete(id: string, options?: ReadOptions): Promise<DeletedWebhookEndpoint>

  /**
   * Gives a webhook endpoint a new secret. For `overlap_hours`, 24 by default, deliveries also verify with the previous
   * secret. A rotation that may have taken effect is not retried: if there was no response, call it again. The service
   * retries deliveries that fail to verify in the meantime.
   *
   * @returns the endpoint with its new `secret`
   * @throws PaymentIntentsError `not_found`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function rotate(endpointId: string): Promise<string> {
   *   const { secret } = await createClient().webhookEndpoints.rotateSecret(endpointId)
   *   return secret
   * }
   * ```
   */
  rotateSecret(
    id: string,
    params?: RotateWebhookSecret,
    options?: ReadOptions,
  ): Promise<WebhookEndpointWithSecret>

  /**
   * Sends all events since a time, at most 30 days ago, that were not delivered to a webhook endpoint, including events
   * whose delivery was given up and events while it was disabled.
   *
   * @returns the number of deliveries that were queued
   * @throws PaymentIntentsError `not_found`, or `conflict` with reason `illegal_state` while it is disabled
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function enableAndCatchUp(endpointId: string, since: Date): Promise<number> {
   *   const { webhookEndpoints } = createClient()
   *   await webhookEndpoints.update(endpointId, { status: 'enabled' })
   *   const { deliveries } = await webhookEndpoints.recover(endpointId, { since: since.toISOString() })
   *   return deliveries
   * }
   * ```
   */
  recover(
    id: string,
    params: RecoverWebhookEndpoint,
    options?: ReadOptions,
  ): Promise<DeliveriesQueued>

  /**
   * Sends an event of type `webhook_endpoint.test` to a webhook endpoint, regardless of its `enabled_events`. No other
   * endpoint gets it. Not retried: if there was no response, check `listAttempts`.
   *
   * @returns the event
   * @throws PaymentIntentsError `not_found`, or `conflict` with reason `illegal_state` while it is disabled
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function test(endpointId: string): Promise<string> {
   *   const event = await createClient().webhookEndpoints.sendTest(endpointId)
   *   return event.id // For `listAttempts(endpointId, { event: event.id })`.
   * }
   * ```
   */
  sendTest(id: string, options?: ReadOptions): Promise<Event>

  /**
   * Lists the deliveries to a webhook endpoint, newest events first.
   *
   * @throws PaymentIntentsError `not_found`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function logTrouble(endpointId: string): Promise<void> {
   *   const { data } = await createClient().webhookEndpoints.listDeliveries(endpointId, { limit: 100 })
   *   for (const { event, status, attempts, response_status, error } of data) {
   *     const outcome = response_status ?? error // `null` until the first attempt ends.
   *     if (status === 'succeeded' || attempts === 0 || outcome === null) continue
   *     console.warn(event, attempts, outcome)
   *   }
   * }
   * ```
   */
  listDeliveries(
    id: string,
    params?: ListWebhookDeliveries,
    options?: ReadOptions,
  ): List<WebhookDelivery>

  /**
   * Lists the attempts of deliveries to a webhook endpoint, newest first. `response_body` is the receiver's text: never show it
   * as HTML.
   *
   * @throws PaymentIntentsError `not_found`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function logAttempts(endpointId: string, event: string): Promise<void> {
   *   for await (const attempt of createClient().webhookEndpoints.listAttempts(endpointId, { event })) {
   *     const { created_at, duration_ms, response_status, response_body, error_code } = attempt
   *     console.log(created_at, `${duration_ms} ms`, response_status ?? error_code, response_body)
   *   }
   * }
   * ```
   */
  listAttempts(
    id: string,
    params?: ListWebhookAttempts,
    options?: ReadOptions,
  ): List<WebhookAttempt>
}

export function webhookEndpoints(send: Send): WebhookEndpoints {
  return {
    create: method(send, endpoints.createWebhookEndpoint),
    list: method(send, endpoints.listWebhookEndpoints),
    retrieve: method(send, endpoints.retrieveWebhookEndpoint),
    update: method(send, endpoints.updateWebhookEndpoint),
    delete: deleteOnce(method(send, endpoints.deleteWebhookEndpoint)),
    rotateSecret: method(send, endpoints.rotateWebhookSecret),
    recover: method(send, endpoints.recoverWebhookEndpoint),
    sendTest: method(send, endpoints.testWebhookEndpoint),
    listDeliveries: method(send, endpoints.listWebhookDeliveries),
    listAttempts: method(send, endpoints.listWebhookAttempts),
  }
}
