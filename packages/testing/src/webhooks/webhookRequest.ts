import { signWebhook, type WebhookHeaders } from './signWebhook.ts'

export type WebhookRequest = {
  method: 'POST'
  headers: WebhookHeaders & { 'content-type': 'application/json' }
  /** The event as JSON text, as it was signed. */
  body: string
}

/**
 * A delivery as the service makes it, in the shape that `fetch` and `new Request(url, …)` take.
 *
 * @param event of `webhookEvent`, of a test service's `events`, or any other; its id becomes the delivery's
 * @param secret `whsec_` and base64, of the webhook endpoint; several sign side by side
 * @throws a sentence when a secret has another form
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
  options: { id?: string; timestamp?: Date } = {},
): WebhookRequest {
  const body = JSON.stringify(event)
  const signed = signWebhook(body, secret, { id: event.id, ...options })
  return { method: 'POST', headers: { 'content-type': 'application/json', ...signed }, body }
}
