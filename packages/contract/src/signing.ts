import { createHmac } from 'node:crypto'

export type SignedHeaders = {
  'webhook-id': string
  /** Unix seconds. */
  'webhook-timestamp': string
  'webhook-signature': string
}

/**
 * Signs a webhook (Standard Webhooks, version 1). Synchronous, so it needs Node.js; the client verifies with Web
 * Crypto, which every runtime has.
 * @param message.id the event's; the same at every attempt, so that a receiver recognises it
 * @param message.timestamp time of this attempt, Unix seconds
 * @param secrets `whsec_` and base64; each adds a signature, and a receiver needs a single signature
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signedHeaders(
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
  secrets: readonly string[],
): SignedHeaders {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
