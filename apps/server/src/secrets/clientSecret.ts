import { createHmac, timingSafeEqual } from 'node:crypto'
import { base62 } from './base62.ts'

/**
 * The secret that opens one intent's checkout: `<id>_secret_<256 bits>`, derived from the server's own secret,
 * so that the database holds nothing that could open a checkout.
 */
export function clientSecretOf(intentId: string, serverSecret: Buffer): string {
  const digest = createHmac('sha256', serverSecret).update(`client_secret:${intentId}`).digest()
  return `${intentId}_secret_${base62(digest, 43)}`
}

/** The id of the intent that a client secret opens, or null when this server never gave it out. */
export function readClientSecret(clientSecret: string, serverSecret: Buffer): string | null {
  const [id = ''] = clientSecret.split('_secret_', 1)
  const expected = Buffer.from(clientSecretOf(id, serverSecret))
  const given = Buffer.from(clientSecret)
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : null
}
