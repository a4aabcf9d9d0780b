import { createHmac } from 'node:crypto'
import type { ServerKey } from './serverKey.ts'

/**
 * The signing secret of an endpoint, `whsec_` and 32 bytes in base64 (Standard Webhooks): derived from the server's
 * own secret, so that the database holds nothing that could sign. A rotation counts the version up.
 */
export function webhookSecretOf(endpointId: string, version: number, key: ServerKey): string {
  const text = `webhook_secret:${endpointId}:${version}`
  return `whsec_${createHmac('sha256', key.webhookSecrets).update(text).digest('base64')}`
}
