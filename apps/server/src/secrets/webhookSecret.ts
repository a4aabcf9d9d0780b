import { createHmac } from 'node:crypto'

/**
 * The signing secret of an endpoint, `whsec_` and 32 bytes in base64 (Standard Webhooks): derived from the server's
 * own secret, so that the database holds nothing that could sign. A rotation counts the version up.
 */
export function webhookSecretOf(endpointId: string, version: number, serverSecret: Buffer): string {
  const text = `webhook_secret:${endpointId}:${version}`
  return `whsec_${createHmac('sha256', serverSecret).update(text).digest('base64')}`
}
