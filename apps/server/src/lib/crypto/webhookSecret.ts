import { createHmac } from 'node:crypto'
import type { ServerKey } from './serverKey.ts'

/**
 * The signing secret of an endpoint: `whsec_` and 32 bytes in base64 (Standard Webhooks). It is derived from the
 * server's own secret, so that nothing in the database can sign. A rotation increments the version.
 */
export function webhookSecretOf(endpointId: string, version: number, key: ServerKey): string {
  const text = `webhook_secret:${endpointId}:${version}`
  return `whsec_${createHmac('sha256', key.webhookSecrets).update(text).digest('base64')}`
}
