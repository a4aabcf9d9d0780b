import { signedHeaders } from '@payment-intents/contract/signing'
import { isDelivered, nextWait, presentEvent, responseText } from '@payment-intents/core'
import { webhookSecretOf } from '../lib/crypto/webhookSecret.ts'
import { newId } from '../store/lists/ids.ts'
import type { ServerKeys } from '../store/merchants/serverKeys.ts'
import type { Claim, Settled } from '../store/webhook-endpoints/claims.ts'
import type { Poster } from './createPoster.ts'

export type Sender = {
  readonly poster: Poster
  readonly serverKeys: ServerKeys
  readonly random: () => number
  /** Unix milliseconds, by a correct clock: receivers refuse a signature whose time differs by minutes from theirs. */
  readonly now: () => number
}

/** Posts an event to an endpoint. Returns the outcome, with the wait before the next attempt. */
export async function sendDelivery(
  { poster, serverKeys, random, now }: Sender,
  claim: Claim,
  signal: AbortSignal,
): Promise<Settled> {
  const { endpointId, eventId, attempts, event, url } = claim
  const body = presentEvent(event)
  const startedAt = now()
  const message = { id: eventId, timestamp: Math.floor(startedAt / 1000), body }
  const headers = signedHeaders(message, secretsOf(claim, serverKeys))
  const started = performance.now()
  const posted = await poster.post({ url, headers, body, signal })
  const durationMs = Math.round(performance.now() - started)
  const status = posted.type === 'responded' ? posted.status : null
  const delivered = isDelivered(status)
  const retryAfterMs = posted.type === 'responded' ? posted.retryAfterMs : null
  return {
    ...{ endpointId, eventId, url, attempts, delivered },
    released: false,
    waitMs: delivered ? null : nextWait({ attempts, retryAfterMs, random: random() }),
    responseStatus: status,
    error: posted.type === 'failed' ? posted.error.message : null,
    attempt: {
      ...{ id: newId('att', startedAt), startedAt: new Date(startedAt), durationMs },
      responseBody: posted.type === 'responded' ? responseText(posted.body) : null,
      errorCode: posted.type === 'failed' ? posted.error.code : null,
    },
  }
}

/** The secret of the endpoint, and during the overlap of a rotation also the previous secret. */
function secretsOf(
  { endpointId, secretVersion, secretKey, previousSecretKey }: Claim,
  serverKeys: ServerKeys,
): string[] {
  const secretOf = (version: number, key: string) =>
    webhookSecretOf(endpointId, version, serverKeys.named(key))
  const current = secretOf(secretVersion, secretKey)
  if (previousSecretKey === null) return [current]
  return [current, secretOf(secretVersion - 1, previousSecretKey)]
}
