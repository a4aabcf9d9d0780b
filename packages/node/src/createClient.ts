import type { CreatePaymentIntent, Metadata } from '@payment-intents/contract'
import { redactCause } from '@payment-intents/contract/redact'
import { isPaymentIntentsError } from './errors/paymentIntentsError.ts'
import { assertServer } from './errors/serverOnly.ts'
import { checkCallOptions, checkOptions, clientOptions } from './options/checkOptions.ts'
import { type CallOptions, type ClientOptions, settle } from './options/clientOptions.ts'
import { connection, modeOfKey } from './options/connection.ts'
import { unreadable } from './requests/parameters.ts'
import { type Send, send } from './requests/send.ts'
import { type Events, events } from './resources/events.ts'
import { type CsvExports, csvExports } from './resources/exports/csvExports.ts'
import { type AttentionResource, attention } from './resources/merchant/attention.ts'
import {
  type PaymentIntent,
  type PaymentIntents,
  paymentIntents,
} from './resources/paymentIntents.ts'
import { type PaymentLinks, paymentLinks } from './resources/paymentLinks.ts'
import { type Refunds, refunds } from './resources/refunds.ts'
import { type ReturnOrigins, returnOrigins } from './resources/settings/returnOrigins.ts'
import { type SettingsResource, settings } from './resources/settings/settings.ts'
import { type SummaryResource, summary } from './resources/summary/summary.ts'
import { type TestHelpers, testHelpers } from './resources/testHelpers.ts'
import { type Transfers, transfers } from './resources/transfers.ts'
import { type WebhookEndpoints, webhookEndpoints } from './resources/webhookEndpoints.ts'

/** `M` is the type of the metadata of the merchant's payment intents. */
export type Client<M = Metadata> = {
  /**
   * Creates a payment intent: one expected payment of USDC. Retried safely under one idempotency key. The published name
   * of `paymentIntents.create`.
   *
   * @param params as the API takes them; `amount_units` in units of 0.000001 USDC, see `toUnits`
   * @returns the intent; give its `client_secret`, and nothing else, to the page
   * @throws PaymentIntentsError `wallet_invalid` if no such wallet can be paid, or `conflict`; see its `reason`
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
  createPaymentIntent(
    params: CreatePaymentIntent<M>,
    options?: CallOptions,
  ): Promise<PaymentIntent<M>>

  /** Creates, reads, cancels and settles payment intents. */
  readonly paymentIntents: PaymentIntents<M>

  /** Reads the transfers to the merchant's wallets, and credits them to payment intents. */
  readonly transfers: Transfers<M>

  /** Lists the objects that somebody has to decide on or look into. */
  readonly attention: AttentionResource<M>

  /** Refunds payments, by a signature of the merchant's wallet or by a transfer made elsewhere. */
  readonly refunds: Refunds<M>

  /** Manages links that anybody who has them can pay. */
  readonly paymentLinks: PaymentLinks<M>

  /** Reads the events of the merchant's payments, and sends events again. */
  readonly events: Events<M>

  /** Streams files of a period for accounting. */
  readonly exports: CsvExports
  /** Reads the amounts received and refunded in a period. */
  readonly summary: SummaryResource

  /** Reads and changes the merchant's settings: name, brand, contact, and how payments are confirmed and matched. */
  readonly settings: SettingsResource

  /** Manages the origins that the merchant's pages may lead back to. */
  readonly returnOrigins: ReturnOrigins

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
 * The type parameter is the type of `metadata`: a creation must pass it, and every payment intent has it. Nothing checks
 * at run time that a payment intent made elsewhere does.
 *
 * @throws PaymentIntentsError `api_key_invalid`, or `invalid_body` when an option is wrong
 * @example
 * ```ts
 * import { createClient } from '@payment-intents/node'
 *
 * const client = createClient<{ order_id: string }>({
 *   baseUrl: 'https://pay.example.com',
 *   timeout: 5_000,
 * })
 *
 * export async function orderOf(intentId: string): Promise<string> {
 *   const { metadata } = await client.paymentIntents.retrieve(intentId)
 *   return metadata.order_id
 * }
 * ```
 */
export function createClient<M extends Metadata = Metadata>(
  options: ClientOptions = {},
): Client<M> {
  assertServer()
  try {
    // The caller vouches for their metadata.
    return bind(options) as unknown as Client<M>
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
      checkCallOptions(callOptions, request.idempotency)
      return await send(apiKey, settle(baseUrl, options, callOptions, limits), request)
    } catch (error) {
      throw isPaymentIntentsError(error)
        ? error
        : unreadable('The parameters or options of this call', redactCause(error, apiKey))
    }
  }
  const intents = paymentIntents(bound)
  return {
    createPaymentIntent: intents.create,
    paymentIntents: intents,
    transfers: transfers(bound),
    attention: attention(bound),
    refunds: refunds(bound, () => modeOfKey(connect().apiKey)),
    paymentLinks: paymentLinks(bound),
    events: events(bound),
    exports: csvExports(bound),
    summary: summary(bound),
    settings: settings(bound),
    returnOrigins: returnOrigins(bound),
    webhookEndpoints: webhookEndpoints(bound),
    testHelpers: testHelpers(bound),
  }
}
