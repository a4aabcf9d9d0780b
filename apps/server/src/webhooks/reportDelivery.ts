import type { FastifyBaseLogger } from 'fastify'
import { boundedMap } from '../lib/boundedMap.ts'
import type { Metrics } from '../lib/metrics/metrics.ts'
import type { Note, SpanStart } from '../lib/tracing/traced.ts'
import type { Claim, Settled } from '../store/webhook-endpoints/claims.ts'

/**
 * Counts and logs deliveries. Of an endpoint that fails repeatedly, only the first failure, deliveries that are given
 * up, and the recovery are logged above `debug`.
 */
export function createDeliveryReport(
  log: FastifyBaseLogger,
  metrics: Pick<Metrics, 'delivery'> | undefined,
): (settled: Settled) => void {
  /** Consecutive failures, by endpoint. */
  const failuresOf = boundedMap<number>(10_000)
  return (settled) => {
    const { endpointId, eventId, attempts, delivered, responseStatus, error, waitMs } = settled
    metrics?.delivery(outcomeOf(settled))
    const fields = { endpoint: endpointId, event: eventId, attempts, status: responseStatus }
    const failures = failuresOf.get(endpointId) ?? 0
    if (delivered) {
      failuresOf.delete(endpointId)
      if (failures === 0) log.debug(fields, 'webhook delivered')
      else log.info({ ...fields, failures }, 'webhooks are delivered to an endpoint again')
      return
    }
    failuresOf.set(endpointId, failures + 1)
    const failed = { ...fields, reason: error, retry_in_ms: waitMs }
    if (waitMs === null) log.warn(failed, 'webhook given up')
    else log[failures === 0 ? 'warn' : 'debug'](failed, 'webhook failed')
  }
}

function outcomeOf({ delivered, waitMs }: Settled) {
  if (delivered) return 'delivered'
  return waitMs === null ? 'given_up' : 'failed'
}

/** The span of an attempt. It names only the endpoint's host: the path and query may hold credentials. */
export function deliverySpan({ url, event, attempts }: Claim): SpanStart {
  const { hostname } = new URL(url)
  return {
    name: 'POST webhook',
    kind: 'client',
    attributes: {
      'http.request.method': 'POST',
      'http.request.resend_count': attempts - 1,
      'server.address': hostname,
      'payment_intents.event.id': event.id,
      'payment_intents.event.type': event.type,
      'payment_intents.webhook.attempt': attempts,
    },
  }
}

export function noteOutcome(note: Note, settled: Settled): void {
  const { released, responseStatus: status } = settled
  const outcome = released ? 'released' : outcomeOf(settled)
  const error = status === null ? 'no_response' : String(status)
  note(
    {
      'payment_intents.webhook.outcome': outcome,
      ...(status === null ? {} : { 'http.response.status_code': status }),
    },
    outcome === 'failed' || outcome === 'given_up' ? error : undefined,
  )
}
