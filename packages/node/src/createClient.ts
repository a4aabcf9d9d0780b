import type {
  AssignTransfer,
  ListPaymentIntents,
  ListTransfers,
  Receipt,
  RetrievedPaymentIntent,
  Transfer,
} from '@payment-intents/contract'
import { redactCause } from '@payment-intents/contract/redact'
import { call } from './call.ts'
import { checkCallOptions, checkOptions, clientOptions } from './checkOptions.ts'
import { connection } from './connection.ts'
import {
  type CreatePaymentIntent,
  createPaymentIntent,
  type PaymentIntent,
} from './createPaymentIntent.ts'
import { isPaymentIntentsError } from './errors.ts'
import { type Events, events } from './events.ts'
import { type List, list } from './list.ts'
import { type CallOptions, type ClientOptions, type ReadOptions, settle } from './options.ts'
import { unreadable } from './parameters.ts'
import { type Send, send } from './send.ts'
import { assertServer } from './serverOnly.ts'
import { type TestHelpers, testHelpers } from './testHelpers.ts'
import { type WebhookEndpoints, webhookEndpoints } from './webhookEndpoints.ts'

export type Client = {
  /**
   * Creates a payment intent: one expected payment of USDC. Retried safely under one idempotency key.
   *
   * @param params as the API takes them; `amount_units` in units of 0.000001 USDC, see `toUnits`
   * @returns the intent; give its `client_secret`, and nothing else, to the page
   * @throws PaymentIntentsError
   * @example
   * ```ts
   * import { createClient, toUnits } from '@payment-intents/node'
   *
   * const client = createClient()
   * const intent = await client.createPaymentIntent({
   *   amount_units: toUnits('25.00'),
   *   chain: 'base',
   *   metadata: { order_id: 'order_1042' },
   * })
   * ```
   */
  createPaymentIntent(params: CreatePaymentIntent, options?: CallOptions): Promise<PaymentIntent>

  /**
   * Retrieves a payment intent. Its `links` are capabilities, as the client secret is, in which `links.page` ends: they are for
   * the payer, and for no log.
   *
   * @throws PaymentIntentsError `not_found` when this merchant has none with this id in this mode
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function isPaid(id: string): Promise<boolean> {
   *   const intent = await createClient().retrievePaymentIntent(id)
   *   return intent.status === 'succeeded'
   * }
   * ```
   */
  retrievePaymentIntent(id: string, options?: ReadOptions): Promise<RetrievedPaymentIntent>

  /**
   * Retrieves the receipt of a payment intent: what paid it, and what anyone needs to check on the chain that the
   * payment was for this payment intent.
   *
   * @throws PaymentIntentsError `conflict` with reason `illegal_state` until it has succeeded, or `not_found`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function receiptOf(id: string) {
   *   return createClient().retrieveReceipt(id)
   * }
   * ```
   */
  retrieveReceipt(id: string, options?: ReadOptions): Promise<Receipt>

  /**
   * Lists payment intents, newest first: awaited, the first page; iterated, all of them.
   *
   * @param params `limit` is the page size, 1 to 100, 10 by default
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * const client = createClient()
   * const { data } = await client.listPaymentIntents({ metadata: { order_id: 'order_1042' } })
   * ```
   */
  listPaymentIntents(
    params?: ListPaymentIntents,
    options?: ReadOptions,
  ): List<RetrievedPaymentIntent>

  /**
   * Cancels a payment intent that has received nothing. Idempotent.
   *
   * @throws PaymentIntentsError `conflict` with reason `illegal_state` if it can no longer be canceled, or
   *   `payment_in_flight` while the payer's authorization may still pay it; or `not_found`
   */
  cancelPaymentIntent(id: string, options?: CallOptions): Promise<RetrievedPaymentIntent>

  /**
   * Settles an underpaid or late payment for the amount received. Idempotent.
   *
   * @throws PaymentIntentsError `conflict` with reason `illegal_state` when there is nothing to accept, or `not_found`
   */
  acceptPaymentIntent(id: string, options?: CallOptions): Promise<RetrievedPaymentIntent>

  /** The event log of the merchant's payments. */
  readonly events: Events

  /** Lists transfers to the merchant's wallets, newest first, including unmatched ones. */
  listTransfers(params?: ListTransfers, options?: ReadOptions): List<Transfer>

  /**
   * Credits an unmatched transfer to a payment intent, or moves one there from another intent at the same wallet,
   * unless it is part of what paid that intent. Idempotent.
   *
   * @returns the payment intent
   * @throws PaymentIntentsError `conflict` with reason `illegal_state` when it is part of what paid another, or `not_found`
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * const client = createClient()
   * for await (const transfer of client.listTransfers({ matched: false })) {
   *   console.log(transfer.reason, transfer.from, transfer.amount_units)
   * }
   *
   * export function credit(transferId: string, intentId: string) {
   *   return client.assignTransfer(transferId, { payment_intent: intentId })
   * }
   * ```
   */
  assignTransfer(
    id: string,
    params: AssignTransfer,
    options?: CallOptions,
  ): Promise<RetrievedPaymentIntent>

  /** Manages the URLs that events are posted to. */
  readonly webhookEndpoints: WebhookEndpoints

  /** Makes payments happen, and go wrong, on the development chain of a service in development. */
  readonly testHelpers: TestHelpers
}

/**
 * Creates a client of the payment service, for your backend only. It opens no connection until a call is made and can
 * be shared by the whole process. Its methods can be destructured. The API key and the base URL may be missing until
 * the first call, so that a build can load a module that creates a client.
 *
 * @throws PaymentIntentsError `api_key_invalid`, or `invalid_body` when an option is wrong
 * @example
 * ```ts
 * import { createClient } from '@payment-intents/node'
 *
 * const client = createClient({ baseUrl: 'https://pay.example.com', timeout: 5_000 })
 * ```
 */
export function createClient(options: ClientOptions = {}): Client {
  assertServer()
  try {
    return bind(options)
  } catch (error) {
    throw isPaymentIntentsError(error) ? error : unreadable('The options of createClient')
  }
}

function bind(options: ClientOptions): Client {
  checkOptions(options, clientOptions)
  settle('', options)
  const connect = connection({ apiKey: options.apiKey, baseUrl: options.baseUrl })
  // The key is only in this closure, so that printing the client does not reveal it.
  const bound: Send = async (prepare, callOptions, limits) => {
    const { apiKey, baseUrl } = connect()
    try {
      const request = prepare()
      checkCallOptions(callOptions, request.repeat)
      return await send(apiKey, settle(baseUrl, options, callOptions, limits), request)
    } catch (error) {
      throw isPaymentIntentsError(error)
        ? error
        : unreadable('The parameters or options of this call', redactCause(error, apiKey))
    }
  }
  return {
    createPaymentIntent: (params, callOptions) => createPaymentIntent(bound, params, callOptions),
    retrievePaymentIntent: (id, callOptions) =>
      call(bound, 'retrievePaymentIntent', { id }, callOptions),
    retrieveReceipt: (id, callOptions) => call(bound, 'retrieveReceipt', { id }, callOptions),
    listPaymentIntents: (params, callOptions) =>
      list(bound, 'listPaymentIntents', { params }, callOptions),
    cancelPaymentIntent: (id, callOptions) =>
      call(bound, 'cancelPaymentIntent', { id }, callOptions),
    acceptPaymentIntent: (id, callOptions) =>
      call(bound, 'acceptPaymentIntent', { id }, callOptions),
    events: events(bound),
    listTransfers: (params, callOptions) => list(bound, 'listTransfers', { params }, callOptions),
    assignTransfer: (id, params, callOptions) =>
      call(bound, 'assignTransfer', { id, params }, callOptions),
    webhookEndpoints: webhookEndpoints(bound),
    testHelpers: testHelpers(bound),
  }
}
