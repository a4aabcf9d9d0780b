import { createHmac } from 'node:crypto'

type Message = {
  /** The event's; the same at every try, so that a receiver knows what it has seen. */
  id: string
  /** Of this try, in seconds. */
  timestamp: number
  body: string
}

/**
 * The headers that let a receiver know who sent a body, and when.
 *
 * @param secrets each signs; a receiver needs to know any one of them
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signedHeaders(
  { id, timestamp, body }: Message,
  secrets: readonly string[],
): Record<string, string> {
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
