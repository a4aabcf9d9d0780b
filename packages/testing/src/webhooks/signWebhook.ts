import { createHmac, randomUUID } from 'node:crypto'

export type WebhookHeaders = {
  'webhook-id': string
  /** Unix seconds. */
  'webhook-timestamp': string
  'webhook-signature': string
}

/**
 * Returns the headers of a delivery by the service (Standard Webhooks, version 1).
 *
 * @param secret of the webhook endpoint, `whsec_` and base64; several add a signature each, as during a rotation
 * @param options.id the same for all attempts of a delivery; a new one by default
 * @param options.timestamp time of sending; now by default
 * @throws Error when a secret is malformed
 * @see https://www.standardwebhooks.com
 * @example
 * ```ts
 * import { signWebhook } from '@payment-intents/testing/webhooks'
 *
 * const secret = 'whsec_dGhpcnR5LXR3byBieXRlcyBmb3IgYSB0ZXN0IG9ubHk='
 * const anHourAgo = new Date(Date.now() - 3_600_000)
 * const headers = signWebhook('{"type":"payment_intent.succeeded"}', secret, { timestamp: anHourAgo })
 * console.log(Object.keys(headers).join()) // webhook-id,webhook-timestamp,webhook-signature
 * ```
 */
export function signWebhook(
  body: string,
  secret: string | readonly string[],
  options: { id?: string; timestamp?: Date } = {},
): WebhookHeaders {
  const { id = `msg_${randomUUID()}`, timestamp = new Date() } = options
  const seconds = String(Math.floor(timestamp.getTime() / 1000))
  const signed = `${id}.${seconds}.${body}`
  const signatures = [secret].flat().map((each) => {
    const digest = createHmac('sha256', keyOf(each)).update(signed).digest('base64')
    return `v1,${digest}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': signatures.join(' '),
  }
}

function keyOf(secret: string): Buffer {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
  const key = Buffer.from(base64, 'base64')
  if (key.length >= 24 && key.length <= 64) return key
  throw new Error('A webhook secret is whsec_ followed by 24 to 64 bytes in base64.')
}
