import type { Metadata } from '@payment-intents/contract'
import { type OnEvent, type WebhookHandlerOptions, webhookReceiver } from './handleWebhook.ts'
import { respond } from './respond.ts'

export { paymentRequired } from '../x402/hono.ts'
export type { PaymentRequiredOptions, PaymentTerms } from '../x402/terms.ts'
export type { OnEvent, WebhookHandlerOptions }

/** The part of Hono's context that is used. */
type HonoContext = { readonly req: { readonly raw: Request } }

/**
 * Creates a Hono handler for webhooks. It verifies each delivery and passes its event to your handler. It responds 200
 * once your handler is done, 400 if the signature is wrong, and 500 if your handler throws, so that the service retries
 * the delivery.
 *
 * @throws WebhookVerificationError `option_invalid` for an unknown option
 * @example
 * ```ts
 * import { webhookHandler } from '@payment-intents/node/hono'
 * import { Hono } from 'hono'
 *
 * const app = new Hono()
 * app.post(
 *   '/webhooks',
 *   webhookHandler(async (event) => {
 *     if (event.type === 'payment_intent.succeeded') console.log('ship', event.data.object.metadata)
 *   }),
 * )
 * ```
 */
export function webhookHandler<M extends Metadata = Metadata>(
  onEvent: OnEvent<M>,
  options: WebhookHandlerOptions = {},
): (context: HonoContext) => Promise<Response> {
  const receive = webhookReceiver(onEvent, options)
  // Not `req.text()`, which after `req.json()` serialises the parsed value again.
  return (context) => respond(context.req.raw, receive)
}
