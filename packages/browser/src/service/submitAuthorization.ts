import type { TransferAuthorization } from '@payment-intents/contract'
import { sleep } from '../lib/sleep.ts'
import { callService } from './callService.ts'
import type { ServiceTransport } from './post.ts'

/** The service's verdict on a signed authorization. */
export type SubmitResult =
  | { outcome: 'accepted' }
  /** The service does not store it, so nobody can submit it. */
  | { outcome: 'refused'; reason: string }

const slowestRetryMs = 8_000

/**
 * Submits a signed authorization until the service responds: a repeated request returns the first response. Never rejects.
 *
 * @returns `null` once the signal aborts; the service may then have taken it
 */
export async function submitAuthorization(
  serviceTransport: ServiceTransport,
  signedAuthorization: TransferAuthorization,
  signature: string,
  signal: AbortSignal,
): Promise<SubmitResult | null> {
  // Like `withoutPrototype`, which would be a separate file here: a prototype may have a `toJSON`.
  const authorization = { __proto__: null, ...signedAuthorization }
  for (let tries = 0; !signal.aborted; tries += 1) {
    const response = await callService(
      serviceTransport,
      'authorize',
      { authorization, signature },
      signal,
    )
    if (response && response.status < 300) return { outcome: 'accepted' }
    const reason = response && reasonOf(response.body)
    if (reason) return { outcome: 'refused', reason }
    const pauseMs = Math.min(slowestRetryMs, 500 * 2 ** tries)
    await sleep(response?.status === 429 ? response.retryAfterMs : pauseMs, signal)
  }
  return null
}

/** The reason of a final refusal by the service; `null` for an error that may pass, or that is a proxy's. */
function reasonOf(body: unknown): string | null {
  const { error, reason } = (body ?? {}) as { error?: unknown; reason?: unknown }
  const isFinal = /^(conflict|invalid_body|intent_not_found|not_found)$/.test(String(error))
  return isFinal ? String(reason ?? error) : null
}
