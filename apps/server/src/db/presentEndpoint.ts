import type { WebhookEndpoint } from '@payment-intents/contract'
import type { StoredEndpoint } from './webhookEndpoints.ts'

/** An endpoint as merchants read it, without its secret. */
export function presentEndpoint(endpoint: StoredEndpoint): WebhookEndpoint {
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    enabled_events: endpoint.enabledEvents && [...endpoint.enabledEvents],
    mode: endpoint.mode,
    status: endpoint.disabledReason ? 'disabled' : 'enabled',
    disabled_reason: endpoint.disabledReason,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    created_at: endpoint.createdAt.toISOString(),
  }
}
