import type { FastifyRequest } from 'fastify'
import { hashToken, isToken } from '../../lib/crypto/token.ts'
import type { CheckoutSession } from '../../store/payment-intents/handoffs.ts'

const name = 'checkout_session'

/** `Set-Cookie` of a session. No script can read it, and no other site's request and no other page's request has it. */
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
 * The hashes of all cookies that have this name and may hold a token. A sibling domain can put many of its own before
 * the payer's cookie, so the payer's may be any of them. The prefix `__Host-` would prevent that, but forbids a path.
 * The size of the headers bounds their number: about 250 fit in 16 KiB.
 */
export function sessionHashes({ headers }: Pick<FastifyRequest, 'headers'>): Buffer[] {
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim().split('=')) ?? []
  const tokens = pairs.flatMap(([key, value]) => (key === name && isToken(value) ? [value] : []))
  return [...new Set(tokens)].map(hashToken)
}
