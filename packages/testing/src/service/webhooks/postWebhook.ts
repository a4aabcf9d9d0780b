import { retryAfterMs } from '@payment-intents/contract/errors'
import {
  deliveryErrors,
  deliveryTimeoutMs,
  presentEvent,
  type StoredEvent,
} from '@payment-intents/core'

/** Sends an event to an endpoint, signed with each of its secrets. A status of null: there was no response. */
export async function postWebhook(url: string, event: StoredEvent, secrets: readonly string[]) {
  const body = presentEvent(event)
  try {
    const signed = await signedHeaders({ id: event.id, body }, secrets)
    const headers = { 'content-type': 'application/json', ...signed }
    const signal = AbortSignal.timeout(deliveryTimeoutMs)
    const init = { method: 'POST', headers, body, signal, redirect: 'manual' } as const
    const response = await fetch(url, init)
    await response.body?.cancel()
    const retryAfter = retryAfterMs(response.headers.get('retry-after') ?? undefined, Date.now())
    return { status: response.status, retryAfter: retryAfter ?? null, error: null }
  } catch (error) {
    const isLate = (error as Error).name === 'TimeoutError'
    const { timeout, broken } = deliveryErrors
    return { status: null, retryAfter: null, error: isLate ? timeout(deliveryTimeoutMs) : broken }
  }
}

/** Signs a webhook (Standard Webhooks, version 1) with Web Crypto, which browsers have, too. */
async function signedHeaders(
  { id, body }: { id: string; body: string },
  secrets: readonly string[],
) {
  // Receivers compare it with the real time, not with the service's clock.
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const message = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const signatures = await Promise.all(
    secrets.map(async (secret) => {
      const raw = Uint8Array.from(atob(secret.slice('whsec_'.length)), (char) => char.charCodeAt(0))
      const algorithm = { name: 'HMAC', hash: 'SHA-256' }
      const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['sign'])
      const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, message))
      return `v1,${btoa(String.fromCharCode(...signature))}`
    }),
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
