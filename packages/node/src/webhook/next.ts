import type { OnEvent, WebhookHandlerOptions } from './handleWebhook.ts'
import { respond } from './respond.ts'

export type { OnEvent, WebhookHandlerOptions }

/**
 * A Next.js route handler that takes webhooks: verifies each, hands its event to yours, and answers 200 once that is
 * done, 400 when the signature is wrong, and 500 when yours throws, so that the service delivers it again.
 * Fits whatever else asks a function of a `Request` for a `Response`.
 *
 * @example
 * ```ts
 * import { webhookHandler } from '@payment-intents/node/next'
 *
 * export const POST = webhookHandler(async (event) => {
 *   if (event.type === 'payment_intent.succeeded') console.log('ship', event.data.object.metadata)
 * })
 * ```
 */
export function webhookHandler(
  onEvent: OnEvent,
  options: WebhookHandlerOptions = {},
): (request: Request) => Promise<Response> {
  return (request) => respond(request, onEvent, options)
}
