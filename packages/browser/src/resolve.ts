import type { ResolveRequest } from '@payment-intents/contract'
import { isKnownToken } from './knownToken.ts'
import { type Intent, parseIntent } from './parseIntent.ts'
import type { Ask } from './post.ts'

export type ResolveOutcome =
  | { outcome: 'resolved'; intent: Intent }
  | { outcome: 'not_found' }
  /** The checkout does not support the intent's token or chain. */
  | { outcome: 'unknown_token' }
  | { outcome: 'rate_limited'; retryAfterMs: number }
  /** An error response, or one that is not the service's. */
  | { outcome: 'faulty' }
  | { outcome: 'unreachable' }
  /** The caller's signal aborted. */
  | { outcome: 'interrupted' }

/** Added to the time for which the service may hold a request. */
const graceMs = 10_000

/** Requests the intent once, with a timeout. Never rejects. */
export async function resolveIntent(
  ask: Ask,
  request: Omit<ResolveRequest, 'client_secret'>,
  signal: AbortSignal,
): Promise<ResolveOutcome> {
  const attempt = new AbortController()
  const abort = () => attempt.abort()
  if (signal.aborted) return { outcome: 'interrupted' }
  signal.addEventListener('abort', abort)
  const timer = setTimeout(abort, (request.wait_seconds ?? 0) * 1000 + graceMs)
  try {
    const response = await ask(request, attempt.signal)
    const text = await response.text()
    return read(response.status, response.headers, parseJson(text))
  } catch {
    return { outcome: signal.aborted ? 'interrupted' : 'unreachable' }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

function read(status: number, headers: Headers, body: unknown): ResolveOutcome {
  if (status === 200) {
    const intent = parseIntent(body)
    if (!intent) return { outcome: 'faulty' }
    return isKnownToken(intent) ? { outcome: 'resolved', intent } : { outcome: 'unknown_token' }
  }
  if (status === 429) {
    const seconds = Number(headers.get('retry-after')) || 1
    return { outcome: 'rate_limited', retryAfterMs: Math.min(seconds, 60) * 1000 }
  }
  // A malformed secret is an `invalid_body`; either way there is no such intent. Any other 404 is not from the
  // service.
  const { error } = (body ?? {}) as { error?: unknown }
  const unknown = error === 'intent_not_found' || error === 'invalid_body'
  return { outcome: unknown ? 'not_found' : 'faulty' }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
