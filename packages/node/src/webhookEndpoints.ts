import type {
  CreateWebhookEndpoint,
  DeletedWebhookEndpoint,
  DeliveriesQueued,
  ListWebhookDeliveries,
  RecoverWebhookEndpoint,
  RotateWebhookSecret,
  UpdateWebhookEndpoint,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from '@payment-intents/contract'
import { call } from './call.ts'
import { isPaymentIntentsError } from './errors.ts'
import { type List, list } from './list.ts'
import type { ReadOptions } from './options.ts'
import type { Send } from './send.ts'

export type WebhookEndpoints = {
  /**
   * Has events posted to a URL of yours, from now on. What may have been stored is not tried again: where no answer
   * came, look with `list` first.
   *
   * @returns the endpoint with its `secret`, which nothing but `rotateSecret` tells again
   * @throws PaymentIntentsError `invalid_body` when the service does not post to such a URL, or `conflict` with reason
   * `illegal_state` when there are as many endpoints as there may be
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

  /** Lists webhook endpoints, oldest first; there are few enough for one page. */
  list(options?: ReadOptions): List<WebhookEndpoint>

  /** Reads a webhook endpoint, without its secret. @throws PaymentIntentsError `not_found` */
  retrieve(id: string, options?: ReadOptions): Promise<WebhookEndpoint>

  /**
   * Changes what is given; `status` disables it, and enables it again. What it missed meanwhile is sent by `recover`.
   *
   * @throws PaymentIntentsError `not_found`, or `invalid_body` when the service does not post to such a URL
   */
  update(id: string, params: UpdateWebhookEndpoint, options?: ReadOptions): Promise<WebhookEndpoint>

  /**
   * Deletes a webhook endpoint: once this is done it gets nothing more.
   *
   * @throws PaymentIntentsError `not_found`
   */
  delete(id: string, options?: ReadOptions): Promise<DeletedWebhookEndpoint>

  /**
   * Gives a webhook endpoint a new secret. For `overlap_hours`, 24 unless told, deliveries verify with the one before
   * too. A rotation that may have been carried out is not tried again: where no answer came, call it once more
   * yourself, and deliveries that you cannot verify until you have its answer come again.
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
   * Sends all that a webhook endpoint has not got since a time, at most 30 days ago: also what was given up, and what
   * happened while it was disabled.
   *
   * @returns how many deliveries are on their way
   * @throws PaymentIntentsError `not_found`, or `conflict` with reason `illegal_state` while it is disabled
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function enableAndCatchUp(endpointId: string, since: Date): Promise<number> {
   *   const { webhookEndpoints } = createClient()
   *   await webhookEndpoints.update(endpointId, { status: 'enabled' })
   *   const told = await webhookEndpoints.recover(endpointId, { since: since.toISOString() })
   *   return told.deliveries
   * }
   * ```
   */
  recover(
    id: string,
    params: RecoverWebhookEndpoint,
    options?: ReadOptions,
  ): Promise<DeliveriesQueued>

  /**
   * Lists how events fared at a webhook endpoint, the newest events first.
   *
   * @throws PaymentIntentsError `not_found`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function logTrouble(endpointId: string): Promise<void> {
   *   const { data } = await createClient().webhookEndpoints.listDeliveries(endpointId, { limit: 100 })
   *   for (const { event, status, attempts, response_status, error } of data) {
   *     const outcome = response_status ?? error // `null` before the first try is over.
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
}

export function webhookEndpoints(send: Send): WebhookEndpoints {
  return {
    create: (params, options) => call(send, 'createWebhookEndpoint', { params }, options),
    list: (options) => list(send, 'listWebhookEndpoints', {}, options),
    retrieve: (id, options) => call(send, 'retrieveWebhookEndpoint', { id }, options),
    update: (id, params, options) => call(send, 'updateWebhookEndpoint', { id, params }, options),
    async delete(id, options) {
      try {
        return await call(send, 'deleteWebhookEndpoint', { id }, options)
      } catch (error) {
        // An attempt before, whose answer was lost or took too long, has deleted it.
        const isGone = isPaymentIntentsError(error) && error.code === 'not_found'
        if (isGone && error.attempts > 1) return { id, deleted: true }
        throw error
      }
    },
    rotateSecret: (id, params = {}, options) =>
      call(send, 'rotateWebhookSecret', { id, params }, options),
    recover: (id, params, options) => call(send, 'recoverWebhookEndpoint', { id, params }, options),
    listDeliveries: (id, params, options) =>
      list(send, 'listWebhookDeliveries', { id, params, cursor: 'event' }, options),
  }
}
