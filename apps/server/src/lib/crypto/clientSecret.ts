import { createHmac } from 'node:crypto'
import { base62 } from './base62.ts'
import { readCapability } from './readCapability.ts'
import type { ServerKey } from './serverKey.ts'

/**
 * The secret that opens an intent's checkout: `<id>_secret_<256 bits>`. It is derived from the server's own secret, so
 * that nothing in the database can open a checkout.
 */
export function clientSecretOf(intentId: string, key: ServerKey): string {
  const digest = createHmac('sha256', key.clientSecrets)
    .update(`client_secret:${intentId}`)
    .digest()
  return `${intentId}_secret_${base62(digest, 43)}`
}

/** The id of the intent that a client secret opens; null: this server never issued it. */
export function readClientSecret(clientSecret: string, keys: readonly ServerKey[]): string | null {
  return readCapability(clientSecret, '_secret_', clientSecretOf, keys)
}
