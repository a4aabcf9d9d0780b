import type { ResolveRequest } from '@payment-intents/contract'

/** Asks the service for the intent; the answer as it comes. */
export type Ask = (
  request: Omit<ResolveRequest, 'client_secret'>,
  signal: AbortSignal,
) => Promise<Response>

/**
 * The client secret goes into the body, and nowhere that a redirect, a referrer or a cache could take it. Sent as
 * text, which a browser lets through without asking the service first (CORS): a round trip less.
 */
export function post(
  baseUrl: string,
  request: ResolveRequest,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(`${baseUrl}/v1/payment_intents/resolve`, {
    method: 'POST',
    body: JSON.stringify(request),
    // Never cookies of another origin; and the connection that the script came by is used again.
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal,
  })
}
