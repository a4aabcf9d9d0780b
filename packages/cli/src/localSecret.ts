import { createHmac } from 'node:crypto'

/**
 * A local webhook secret, `whsec_` and 32 bytes in base64. It is derived from the API key, so it is the same at every
 * start; the key cannot be computed from it.
 */
export function localSecret(apiKey: string): string {
  return `whsec_${createHmac('sha256', apiKey).update('payment-intents listen').digest('base64')}`
}
