import type { AuthorizeRequest } from '@payment-intents/contract'
import { post } from './post.ts'

/** Hands in an authorization; resolves to the raw response. */
export type Authorize = (
  request: Omit<AuthorizeRequest, 'client_secret'>,
  signal: AbortSignal,
) => Promise<Response>

export function authorizer(baseUrl: string, client_secret: string): Authorize {
  return (request, signal) => post(baseUrl, { client_secret, ...request }, signal, 'authorize')
}
