import type { FastifyRequest } from 'fastify'
import type { NewSession } from '../../account/accountEndpoint.ts'
import { hashToken, isToken } from '../../lib/crypto/token.ts'

/**
 * The name of a session's cookie. Browsers accept a name with `__Host-` over HTTPS and from this host alone, so no
 * sibling domain can set it. A dashboard on this machine has no HTTPS.
 */
function nameOf(dashboardUrl: string): string {
  return isSecure(dashboardUrl) ? '__Host-payment_intents_session' : 'payment_intents_session'
}

function isSecure(dashboardUrl: string): boolean {
  return dashboardUrl.startsWith('https:')
}

/**
 * `Set-Cookie` of a session.
 * @param session null removes the cookie
 * @param now Unix milliseconds
 */
export function sessionCookie(
  session: NewSession | null,
  dashboardUrl: string,
  now: number,
): string {
  const seconds = session ? Math.floor((session.expiresAt - now) / 1_000) : 0
  const secure = isSecure(dashboardUrl) ? '; Secure' : ''
  const value = session?.token ?? ''
  return `${nameOf(dashboardUrl)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
}

/** The hash of the session token in a request; null: it has none. */
export function sessionHash(
  { headers }: Pick<FastifyRequest, 'headers'>,
  dashboardUrl: string,
): Buffer | null {
  const name = nameOf(dashboardUrl)
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [key, value] = pair.trim().split('=')
    if (key === name && isToken(value)) return hashToken(value)
  }
  return null
}
