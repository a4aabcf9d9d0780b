import { callService, type ServiceResponse } from './callService.ts'
import { isUsdc } from './isUsdc.ts'
import { type Intent, parseIntent } from './parseIntent.ts'
import type { Requests, ServiceTransport } from './post.ts'

export type ResolveOutcome =
  | { outcome: 'resolved'; intent: Intent }
  | { outcome: 'not_found' }
  /** The checkout does not support the intent's token or chain. */
  | { outcome: 'unknown_token' }
  | { outcome: 'rate_limited'; retryAfterMs: number }
  /** An error response, or a response that is not the service's. */
  | { outcome: 'faulty' }
  | { outcome: 'unreachable' }
  /** The caller's signal aborted. */
  | { outcome: 'interrupted' }

type Refusal = { error?: string; issues?: readonly { path?: string }[] }

/** Added to the time for which the service may hold a request. */
const graceMs = 10_000

/** Requests the intent once, with a timeout. Never rejects. */
export async function resolveIntent(
  serviceTransport: ServiceTransport,
  request: Requests['resolve'],
  signal: AbortSignal,
): Promise<ResolveOutcome> {
  const timeoutMs = (request.wait_seconds ?? 0) * 1000 + graceMs
  const response = await callService(serviceTransport, 'resolve', request, signal, timeoutMs)
  if (response) return read(response)
  return { outcome: signal.aborted ? 'interrupted' : 'unreachable' }
}

function read({ status, retryAfterMs, body }: ServiceResponse): ResolveOutcome {
  if (status === 200) {
    const intent = parseIntent(body)
    if (!intent) return { outcome: 'faulty' }
    return isUsdc(intent) ? { outcome: 'resolved', intent } : { outcome: 'unknown_token' }
  }
  if (status === 429) return { outcome: 'rate_limited', retryAfterMs }
  // A malformed secret is an issue of its property; either way there is no such intent. An issue without a path concerns the request, such
  // as a body that arrived too slowly, and passes. Any other 404 is not from the service.
  const { error, issues }: Refusal = Object(body)
  const isUnknown = error === 'intent_not_found' || issues?.[0]?.path
  return { outcome: isUnknown ? 'not_found' : 'faulty' }
}
