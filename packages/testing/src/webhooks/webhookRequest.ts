import { checkOptions } from '../lib/checkOptions.ts'
import { type SignOptions, signOptions, signWebhook, type WebhookHeaders } from './signWebhook.ts'

export type WebhookRequest = {
  method: 'POST'
  headers: WebhookHeaders & { 'content-type': 'application/json' }
  /** The event as JSON text, as signed. */
  body: string
}

/**
 * Creates a delivery of an event, in the form that `fetch` and `new Request(url, …)` accept.
 *
 * @param event of `webhookEvent`, of a test service's `events`, or any other; its id becomes the delivery's
 * @param secret of the webhook endpoint, `whsec_` and base64; each of several adds a signature
 * @throws Error when a secret is malformed, or TypeError for an unknown option
 * @example
 * ```ts
 * import { webhookEvent, webhookRequest } from '@payment-intents/testing/webhooks'
 *
 * const secret = 'whsec_dGhpcnR5LXR3byBieXRlcyBmb3IgYSB0ZXN0IG9ubHk='
 * const delivery = webhookRequest(webhookEvent('payment_intent.succeeded'), secret)
 * const request = new Request('http://localhost:3000/webhooks', delivery)
 * console.log(request.method) // POST
 * ```
 */
export function webhookRequest(
  event: { readonly id: string },
  secret: string | readonly string[],
  options: SignOptions = {},
): WebhookRequest {
  checkOptions('webhookRequest', options, signOptions)
  const body = JSON.stringify(event)
  const signed = signWebhook(body, secret, { id: event.id, ...options })
  return { method: 'POST', headers: { 'content-type': 'application/json', ...signed }, body }
}
