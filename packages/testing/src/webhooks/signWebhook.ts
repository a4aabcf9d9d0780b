import { randomUUID } from 'node:crypto'
import type { OptionNames } from '@payment-intents/contract/options'
import { type SignedHeaders, signedHeaders } from '@payment-intents/contract/signing'
import { checkOptions } from '../lib/checkOptions.ts'

export type WebhookHeaders = SignedHeaders

export type SignOptions = { id?: string; timestamp?: Date }

export const signOptions: OptionNames<SignOptions> = { id: true, timestamp: true }

/**
 * Returns the headers of a delivery by the service (Standard Webhooks, version 1).
 *
 * @param secret of the webhook endpoint, `whsec_` and base64; each of several adds a signature, as during a rotation
 * @param options.id the same for all attempts of a delivery; a new id by default
 * @param options.timestamp time of sending; now by default
 * @throws Error when a secret is malformed, or TypeError for an unknown option
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
  options: SignOptions = {},
): WebhookHeaders {
  checkOptions('signWebhook', options, signOptions)
  const { id = `msg_${randomUUID()}`, timestamp = new Date() } = options
  const secrets = [secret].flat()
  for (const each of secrets) checkSecret(each)
  return signedHeaders({ id, timestamp: Math.floor(timestamp.getTime() / 1000), body }, secrets)
}

function checkSecret(secret: string): void {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
  const { length } = Buffer.from(base64, 'base64')
  if (length >= 24 && length <= 64) return
  throw new Error('A webhook secret is whsec_ followed by 24 to 64 bytes in base64.')
}
