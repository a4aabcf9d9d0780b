import type { TransferAuthorization } from '@payment-intents/contract'
import { sleep } from '../lib/sleep.ts'
import { askOnce } from './askOnce.ts'
import type { Ask } from './post.ts'

/** The service's verdict on a signed authorization. */
export type HandedIn =
  | { outcome: 'taken' }
  /** The service keeps nothing of it, so that nobody can submit it. */
  | { outcome: 'refused'; reason: string }

const slowestRetryMs = 8_000

/**
 * Submits a signed authorization until the service responds: a repeated request returns the first response. Never rejects.
 *
 * @returns `null` once the signal aborts; the service may then have taken it
 */
export async function handIn(
  ask: Ask,
  given: TransferAuthorization,
  signature: string,
  signal: AbortSignal,
): Promise<HandedIn | null> {
  // Like `own`, which would be a separate file here: no prototype has a `toJSON`.
  const authorization = { __proto__: null, ...given }
  for (let tries = 0; !signal.aborted; tries += 1) {
    const answer = await askOnce(ask, 'authorize', { authorization, signature }, signal)
    if (answer && answer.status < 300) return { outcome: 'taken' }
    const reason = answer && reasonOf(answer.body)
    if (reason) return { outcome: 'refused', reason }
    const pauseMs = Math.min(slowestRetryMs, 500 * 2 ** tries)
    await sleep(answer?.status === 429 ? answer.retryAfterMs : pauseMs, signal)
  }
  return null
}

/** Why the service itself refused it for good; other errors, and those of a proxy, pass. */
function reasonOf(body: unknown): string | null {
  const { error, reason } = (body ?? {}) as { error?: unknown; reason?: unknown }
  const isFinal = /^(conflict|invalid_body|intent_not_found|not_found)$/.test(String(error))
  return isFinal ? String(reason ?? error) : null
}
