import type { AuthorizeRequest } from '@payment-intents/contract'

/** Hands in an authorization; resolves to the raw response. */
export type Authorize = (
  request: Omit<AuthorizeRequest, 'client_secret'>,
  signal: AbortSignal,
) => Promise<Response>

/** Sends it as resolve is sent, by a request of its own: that one is in the first load, and this need not be. */
export function authorizer(baseUrl: string, client_secret: string): Authorize {
  return (request, signal) =>
    fetch(`${baseUrl.replace(/\/+$/, '')}/v1/payment_intents/authorize`, {
      method: 'POST',
      body: JSON.stringify({ client_secret, ...request }),
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal,
    })
}
