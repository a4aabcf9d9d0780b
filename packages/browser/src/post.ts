import type { ResolveRequest } from '@payment-intents/contract'

/** Asks the service for the intent; the answer as it comes. */
export type Ask = (
  request: Omit<ResolveRequest, 'client_secret'>,
  signal: AbortSignal,
) => Promise<Response>

/** The client secret goes into the body, and nowhere that a redirect, a referrer or a cache could take it. */
export function post(
  baseUrl: string,
  request: ResolveRequest,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(`${baseUrl}/v1/payment_intents/resolve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal,
  })
}
