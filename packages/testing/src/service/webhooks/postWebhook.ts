import { limits } from '@payment-intents/contract'
import { retryAfterMs } from '@payment-intents/contract/errors'
import {
  deliveryErrors,
  deliveryTimeoutMs,
  presentEvent,
  responseText,
  type StoredEvent,
} from '@payment-intents/core'

/** Sends an event to an endpoint, signed with each of its secrets. The status is null without a response. */
export async function postWebhook(url: string, event: StoredEvent, secrets: readonly string[]) {
  const body = presentEvent(event)
  try {
    const signed = await signedHeaders({ id: event.id, body }, secrets)
    const headers = { 'content-type': 'application/json', ...signed }
    const signal = AbortSignal.timeout(deliveryTimeoutMs)
    const init = { method: 'POST', headers, body, signal, redirect: 'manual' } as const
    const response = await fetch(url, init)
    const retryAfter = retryAfterMs(response.headers.get('retry-after') ?? undefined, Date.now())
    const text = responseText(await readStart(response))
    return { status: response.status, retryAfter: retryAfter ?? null, text, error: null }
  } catch (error) {
    const isLate = (error as Error).name === 'TimeoutError'
    const { timeout, broken } = deliveryErrors
    const why = isLate ? timeout(deliveryTimeoutMs) : broken
    return { status: null, retryAfter: null, text: null, error: why }
  }
}

/** The first bytes of a response, as many as arrive. */
async function readStart({ body }: Response): Promise<Uint8Array> {
  const bytes: number[] = []
  const reader = body?.getReader()
  try {
    while (reader && bytes.length < limits.webhookResponseBytes) {
      const { value, done } = await reader.read()
      if (done) break
      bytes.push(...value.subarray(0, limits.webhookResponseBytes))
    }
    await reader?.cancel()
  } catch {
    // The status decides, even if the body breaks off.
  }
  return Uint8Array.from(bytes)
}

/** Signs a webhook (Standard Webhooks, version 1) with Web Crypto, which browsers have, too. */
async function signedHeaders(
  { id, body }: { id: string; body: string },
  secrets: readonly string[],
) {
  // Real time, not the service's clock: receivers compare the timestamp with theirs.
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
