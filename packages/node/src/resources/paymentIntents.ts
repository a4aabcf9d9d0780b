import {
  type CreatePaymentIntent,
  endpoints,
  type ListPaymentIntents,
  type Metadata,
  type PaymentIntent as PaymentIntentResponse,
  paymentIntentSchema,
  type Receipt,
  type RetrievedPaymentIntent,
  type RetrievedPaymentIntentWithLinks,
  type Timeline,
} from '@payment-intents/contract'
import type { CallOptions, Limits, ReadOptions } from '../options/clientOptions.ts'
import type { List } from '../requests/list.ts'
import { method } from '../requests/method.ts'
import type { HttpResponse } from '../requests/request.ts'
import type { Send } from '../requests/send.ts'

/** A payment intent as the service returned it, including fields that a later server adds. */
export type PaymentIntent<M = Metadata> = PaymentIntentResponse<M> & {
  /**
   * The final status of the intent, if this is the stored response to an earlier call with the same `idempotencyKey`:
   * nobody can pay it any more. After `expired` or `canceled`, use a new key to get the order paid. From the header
   * `Payment-Intent-Status`; the other fields are those of the stored response.
   */
  ended_as?: 'expired' | 'canceled' | 'succeeded' | (string & {})
}

export type PaymentIntents<M = Metadata> = {
  /**
   * Creates a payment intent: one expected payment of USDC. Retried safely under one idempotency key.
   *
   * @param params as the API takes them; `amount_units` in units of 0.000001 USDC, see `toUnits`
   * @returns the intent; give its `client_secret`, and nothing else, to the page
   * @throws PaymentIntentsError `wallet_invalid` if no such wallet can be paid, or `conflict`; see its `reason`
   * @example
   * ```ts
   * import { createClient, toUnits } from '@payment-intents/node'
   *
   * const client = createClient()
   * const intent = await client.paymentIntents.create({
   *   amount_units: toUnits('25.00'),
   *   chain: 'base',
   *   metadata: { order_id: 'order_1042' },
   * })
   * ```
   */
  create(params: CreatePaymentIntent<M>, options?: CallOptions): Promise<PaymentIntent<M>>

  /**
   * Retrieves a payment intent. Its `links` are capabilities, and `links.page` ends in the client secret: show them
   * only to the payer, and never log them.
   *
   * @throws PaymentIntentsError `not_found` when this merchant has no such intent in this mode
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function isPaid(id: string): Promise<boolean> {
   *   const intent = await createClient().paymentIntents.retrieve(id)
   *   return intent.status === 'succeeded'
   * }
   * ```
   */
  retrieve(id: string, options?: ReadOptions): Promise<RetrievedPaymentIntentWithLinks<M>>

  /**
   * Lists payment intents, newest first. Await it for the first page; iterate it for all items.
   *
   * @param params `limit` is the page size, 1 to 100, 10 by default; `amount_units` is in units of 0.000001 USDC
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * const client = createClient()
   * const { data } = await client.paymentIntents.list({ metadata: { order_id: 'order_1042' } })
   * ```
   */
  list(params?: ListPaymentIntents, options?: ReadOptions): List<RetrievedPaymentIntent<M>>

  /**
   * Cancels a payment intent that has received nothing. Idempotent.
   *
   * @throws PaymentIntentsError `conflict` with reason `illegal_state` if it can no longer be canceled, or
   *   `payment_in_flight` while the payer's authorization may still pay it; or `not_found`
   * @example
   * ```ts
   * import { createClient, isPaymentIntentsError } from '@payment-intents/node'
   *
   * export async function cancelOrder(intentId: string): Promise<'canceled' | 'too_late'> {
   *   try {
   *     await createClient().paymentIntents.cancel(intentId)
   *     return 'canceled'
   *   } catch (error) {
   *     if (isPaymentIntentsError(error) && error.code === 'conflict') return 'too_late'
   *     throw error
   *   }
   * }
   * ```
   */
  cancel(id: string, options?: CallOptions): Promise<RetrievedPaymentIntent<M>>

  /**
   * Settles an underpaid or late payment for the amount received. Idempotent.
   *
   * @throws PaymentIntentsError `conflict` with reason `illegal_state` when there is nothing to accept, or `not_found`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function settle(intentId: string): Promise<number> {
   *   const intent = await createClient().paymentIntents.accept(intentId)
   *   return intent.amount_received_units // In units of 0.000001 USDC.
   * }
   * ```
   */
  accept(id: string, options?: CallOptions): Promise<RetrievedPaymentIntent<M>>

  /**
   * Retrieves the receipt of a payment intent: its transfers, and the values with which anyone can check on the chain
   * that the payment was for this payment intent.
   *
   * @throws PaymentIntentsError `conflict` with reason `illegal_state` until it has succeeded, or `not_found`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function receiptOf(id: string) {
   *   return createClient().paymentIntents.retrieveReceipt(id)
   * }
   * ```
   */
  retrieveReceipt(id: string, options?: ReadOptions): Promise<Receipt<M>>

  /**
   * Retrieves the timeline of a payment intent, oldest first. `type` narrows an entry; a newer server may add types.
   *
   * @throws PaymentIntentsError `not_found`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function explain(intentId: string): Promise<void> {
   *   const { data } = await createClient().paymentIntents.retrieveTimeline(intentId)
   *   for (const entry of data) {
   *     console.log(entry.time, entry.type === 'transfer' ? entry.tx_hash : entry.type)
   *   }
   * }
   * ```
   */
  retrieveTimeline(id: string, options?: ReadOptions): Promise<Timeline>
}

/**
 * Every response of this service has these fields. The published interface does not promise them, so the client also
 * accepts a service that sends only the published fields. The mark lets a bundle without this call omit its schemas.
 */
const published = /* @__PURE__ */ paymentIntentSchema.partial({
  created_at: true,
  links: true,
  payable_amount_units: true,
  payment_reference: true,
}) as unknown as typeof paymentIntentSchema

/**
 * A buyer waits for this call, and gives up after about ten seconds. The service responds within two, or is in trouble:
 * a second and a third attempt, which another of its processes may get, help more than a longer wait.
 */
const creationLimits: Limits = { timeout: 4_000, deadline: 10_000 }

export function paymentIntents(send: Send): PaymentIntents {
  return {
    create: method(
      send,
      { ...endpoints.createPaymentIntent, response: published },
      { complete, limits: creationLimits },
    ),
    retrieve: method(send, endpoints.retrievePaymentIntent),
    list: method(send, endpoints.listPaymentIntents),
    cancel: method(send, endpoints.cancelPaymentIntent),
    accept: method(send, endpoints.acceptPaymentIntent),
    retrieveReceipt: method(send, endpoints.retrieveReceipt),
    retrieveTimeline: method(send, endpoints.retrieveTimeline),
  }
}

function complete(body: unknown, headers: HttpResponse['headers']): unknown {
  const status = headers.get('payment-intent-status')
  // Any other text might quote a secret.
  return status && /^[a-z_]{1,40}$/.test(status) ? { ...Object(body), ended_as: status } : body
}
