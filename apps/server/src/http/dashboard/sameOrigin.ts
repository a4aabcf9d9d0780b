import { HttpError } from '@payment-intents/core'
import type { FastifyRequest } from 'fastify'

/**
 * Refuses requests that a page of another origin made the browser send. The cookie alone proves nothing: every port of
 * a host shares it, and `SameSite` treats sibling domains as the same site. Another origin also needs a preflight to
 * send the header that names the mode, and gets no response to it.
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
