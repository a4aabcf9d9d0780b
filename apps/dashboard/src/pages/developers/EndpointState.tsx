import type { WebhookEndpoint } from '@payment-intents/contract'
import { texts } from '../../texts.ts'

const words = texts.developers.endpoints

/** Shows whether an endpoint gets events, or why not. */
export function EndpointState({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { status, disabled_reason: reason, failing_since: since } = endpoint
  if (status !== 'enabled') {
    const reasons: Readonly<Record<string, string>> = words.disabled
    return <span className="badge bad">{reasons[reason ?? ''] ?? words.disabled.merchant}</span>
  }
  return since ? (
    <span className="badge warn">{words.failing}</span>
  ) : (
    <span className="badge good">{words.enabled}</span>
  )
}
