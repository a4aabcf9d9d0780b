import type { AuthorizeRequest, HandoffRequest, ResolveRequest } from '@payment-intents/contract'
import { withoutPrototype } from '../lib/withoutPrototype.ts'

/** The checkout's operations, and their parameters besides the client secret. */
export type Requests = {
  resolve: Omit<ResolveRequest, 'client_secret'>
  authorize: Omit<AuthorizeRequest, 'client_secret'>
  handoff: Omit<HandoffRequest, 'client_secret'>
}

/** Requests one operation on the intent; resolves to the raw response. */
export type ServiceTransport = <Operation extends keyof Requests>(
  operation: Operation,
  request: Requests[Operation],
  signal: AbortSignal,
) => Promise<Response>

/**
 * Sends the client secret in the body, where redirects, referrers and caches do not expose it. The body is
 * text, which needs no CORS preflight.
 */
export function post(
  baseUrl: string,
  operation: keyof Requests,
  request: { client_secret: string },
  signal: AbortSignal,
): Promise<Response> {
  return fetch(`${baseUrl}/v1/payment_intents/${operation}`, {
    method: 'POST',
    // Without a prototype, whose `toJSON` would decide the request body.
    body: JSON.stringify(withoutPrototype(request)),
    // By default without cookies cross-origin, which reuses the script's connection.
    cache: 'no-store',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal,
  })
}
