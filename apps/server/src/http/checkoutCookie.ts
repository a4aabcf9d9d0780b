import type { FastifyRequest } from 'fastify'
import type { CheckoutSession } from '../db/intents/handoffs.ts'
import { hashToken } from '../secrets/handoffToken.ts'

const name = 'checkout_session'
/** More than a browser would send by itself are somebody's attempt. */
const atMost = 8

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

/** The hashes of all cookies of this name. */
export function sessionHashes({ headers }: Pick<FastifyRequest, 'headers'>): Buffer[] {
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim().split('=')) ?? []
  return pairs
    .flatMap(([key, value]) => (key === name && value ? [hashToken(value)] : []))
    .slice(0, atMost)
}
