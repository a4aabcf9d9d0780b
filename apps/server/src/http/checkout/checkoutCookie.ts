import type { FastifyRequest } from 'fastify'
import { hashToken, isToken } from '../../lib/crypto/token.ts'
import type { CheckoutSession } from '../../store/payment-intents/handoffs.ts'

const name = 'checkout_session'

/** `Set-Cookie` of a session: no script reads it, no other site's request carries it, and no other page gets it. */
export function sessionCookie(
  token: string,
  { intentId, seconds }: CheckoutSession,
  publicUrl: string,
): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const path = `/checkout/${intentId}`
  return `${name}=${token}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

/**
 * The hashes of all cookies of this name that may be a session's. A sibling domain can put many of its own in front
 * (only `__Host-` would keep it from that, and such a cookie has no path), so the payer's may be any of them. The size
 * of the headers bounds their number: about 250 fit in 16 KiB.
 */
export function sessionHashes({ headers }: Pick<FastifyRequest, 'headers'>): Buffer[] {
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim().split('=')) ?? []
  const tokens = pairs.flatMap(([key, value]) => (key === name && isToken(value) ? [value] : []))
  return [...new Set(tokens)].map(hashToken)
}
