import type { OnEvent, WebhookHandlerOptions } from './handleWebhook.ts'
import { respond } from './respond.ts'

export type { OnEvent, WebhookHandlerOptions }

/** As much of Hono's context as is needed. */
type HonoContext = { readonly req: { readonly raw: Request } }

/**
 * A Hono handler that takes webhooks: verifies each, hands its event to yours, and answers 200 once that is done, 400
 * when the signature is wrong, and 500 when yours throws, so that the service delivers it again.
 *
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
export function webhookHandler(
  onEvent: OnEvent,
  options: WebhookHandlerOptions = {},
): (context: HonoContext) => Promise<Response> {
  // Not `req.text()`: after `req.json()` that serialises again what was parsed.
  return (context) => respond(context.req.raw, onEvent, options)
}
