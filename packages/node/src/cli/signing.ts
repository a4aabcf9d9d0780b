import { createHmac } from 'node:crypto'

type Message = { readonly id: string; readonly body: string }

/**
 * A local webhook secret, `whsec_` and 32 bytes in base64. It is derived from the API key, so it is the same at every
 * start; the key cannot be computed from it.
 */
export function localSecret(apiKey: string): string {
  return `whsec_${createHmac('sha256', apiKey).update('payment-intents listen').digest('base64')}`
}

/**
 * The headers of a delivery that is sent now.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signedHeaders({ id, body }: Message, secret: string): Record<string, string> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
