import type { AuthorizeRequest, ResolveRequest } from '@payment-intents/contract'

type WithoutSecret<Request> = Omit<Request, 'client_secret'>

/** Requests the intent, or hands in an authorization; resolves to the raw response. */
export type Ask = (
  request: WithoutSecret<ResolveRequest> | WithoutSecret<AuthorizeRequest>,
  signal: AbortSignal,
) => Promise<Response>

/**
 * Sends the client secret in the body, where redirects, referrers and caches do not expose it. The body is
 * text, which needs no CORS preflight.
 */
export function post(
  baseUrl: string,
  request: ResolveRequest | AuthorizeRequest,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(
    `${baseUrl}/v1/payment_intents/${'signature' in request ? 'authorize' : 'resolve'}`,
    {
      method: 'POST',
      body: JSON.stringify(request),
      // Sends no cookies cross-origin, and reuses the script's connection.
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal,
    },
  )
}
