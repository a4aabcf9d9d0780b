import { HttpError } from '@payment-intents/core'
import type { FastifyRequest } from 'fastify'

/**
 * Refuses requests that another page made the browser send. A cookie alone proves nothing: on one host, pages of every
 * port have it, and `SameSite` counts sibling domains as the same site. Other origins cannot add the header that names
 * the mode without a preflight, which gets no response here.
 * @throws {HttpError} `forbidden`
 */
export function checkSameOrigin(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  dashboardUrl: string,
): void {
  const { origin, host, 'sec-fetch-site': site = 'same-origin' } = headers
  const isReadOnly = method === 'GET' || method === 'HEAD'
  const isSameHost = host === new URL(dashboardUrl).host
  const isSameOrigin = origin === undefined ? isReadOnly : origin === dashboardUrl
  if (isSameHost && isSameOrigin && site === 'same-origin') return
  throw new HttpError('forbidden', `Only pages of ${dashboardUrl} may send this request.`)
}
