import type { AuthorizeRequest, HandoffRequest, ResolveRequest } from '@payment-intents/contract'

/** Requests the intent; resolves to the raw response. */
export type Ask = (
  request: Omit<ResolveRequest, 'client_secret'>,
  signal: AbortSignal,
) => Promise<Response>

/**
 * Sends the client secret in the body, where redirects, referrers and caches do not expose it. The body is
 * text, which needs no CORS preflight.
 */
export function post(
  baseUrl: string,
  request: ResolveRequest | AuthorizeRequest | HandoffRequest,
  signal: AbortSignal,
  operation: 'resolve' | 'authorize' | 'handoff' = 'resolve',
): Promise<Response> {
  return fetch(`${baseUrl}/v1/payment_intents/${operation}`, {
    method: 'POST',
    body: JSON.stringify(request),
    // Sends no cookies cross-origin, and reuses the script's connection.
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal,
  })
}
