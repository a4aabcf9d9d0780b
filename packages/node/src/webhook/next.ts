import type { Metadata } from '@payment-intents/contract'
import { type OnEvent, type WebhookHandlerOptions, webhookReceiver } from './handleWebhook.ts'
import { respond } from './respond.ts'

export { paymentRequired } from '../x402/next.ts'
export type { PaymentRequiredOptions, PaymentTerms } from '../x402/terms.ts'
export type { OnEvent, WebhookHandlerOptions }

/**
 * Creates a Next.js route handler for webhooks. It verifies each delivery and passes its event to your handler. It
 * responds 200 once your handler is done, 400 if the signature is wrong, and 500 if your handler throws, so that the
 * service retries the delivery. It works with any framework whose handlers take a `Request` and return a `Response`.
 *
 * @throws WebhookVerificationError `option_invalid` for an unknown option
 * @example
 * ```ts
 * import { webhookHandler } from '@payment-intents/node/next'
 *
 * export const POST = webhookHandler(async (event) => {
 *   if (event.type === 'payment_intent.succeeded') console.log('ship', event.data.object.metadata)
 * })
 * ```
 */
export function webhookHandler<M extends Metadata = Metadata>(
  onEvent: OnEvent<M>,
  options: WebhookHandlerOptions = {},
): (request: Request) => Promise<Response> {
  const receive = webhookReceiver(onEvent, options)
  return (request) => respond(request, receive)
}
