import type { Event } from '@payment-intents/contract'
import type { Client } from '../createClient.ts'
import { isPaymentIntentsError, type PaymentIntentsErrorCode } from '../errors.ts'
import { pause } from './pause.ts'

type Following = {
  readonly client: Client
  /** The event to begin after; undefined: with the next one to happen. */
  readonly since: string | undefined
  readonly pollMs: number
  readonly signal: AbortSignal
}

export type Sighting =
  | { readonly kind: 'event'; readonly event: Event }
  /** From here on no event is missed. `after`: the one that the first comes after, if there is one. */
  | { readonly kind: 'ready'; readonly after: string | undefined }
  | { readonly kind: 'lost'; readonly message: string }
  | { readonly kind: 'regained' }

/**
 * Every event that happens, each once, until the signal is aborted. A service that goes away is waited for.
 *
 * @throws PaymentIntentsError when waiting would not help
 */
export async function* follow(following: Following): AsyncGenerator<Sighting> {
  const { client, since, pollMs, signal } = following
  const options = { signal, maxRetries: 0 }
  // Invariant: every event up to this one was handed on, or happened before the beginning.
  let cursor = since
  let hasBegun = false
  let isLost = false

  while (!signal.aborted) {
    try {
      if (!hasBegun && since === undefined) cursor = await newestEvent(client, options)
      const page = await client.events.list({ ...after(cursor), limit: 100 }, options)
      if (!hasBegun) yield { kind: 'ready', after: cursor }
      else if (isLost) yield { kind: 'regained' }
      hasBegun = true
      isLost = false
      for (const event of page.data) {
        // Whoever is handed one may take a while.
        if (signal.aborted) return
        yield { kind: 'event', event }
        cursor = event.id
      }
      if (page.has_more) continue
    } catch (error) {
      if (signal.aborted) return
      if (!isPaymentIntentsError(error) || isFinal(error, hasBegun)) throw error
      if (!isLost) yield { kind: 'lost', message: error.message }
      isLost = true
    }
    await pause(pollMs, signal)
  }
}

/**
 * Events are listed from the oldest on, for 30 days. Those of the newest payment intent are near the end, so that
 * few are left to be read until there.
 */
async function newestEvent(
  client: Client,
  options: { signal: AbortSignal },
): Promise<string | undefined> {
  const [intent] = (await client.listPaymentIntents({ limit: 1 }, options)).data
  const near = intent && { payment_intent: intent.id, limit: 1 }
  let cursor = near && (await client.events.list(near, options)).data[0]?.id
  for await (const event of client.events.list({ ...after(cursor), limit: 100 }, options)) {
    cursor = event.id
  }
  return cursor
}

function after(cursor: string | undefined) {
  return cursor === undefined ? {} : { starting_after: cursor }
}

const refusals: readonly PaymentIntentsErrorCode[] = [
  'api_key_missing',
  'api_key_invalid',
  'merchant_not_found',
  'invalid_body',
]

/** A service that has answered once may be hidden for a while behind any answer of a proxy. */
function isFinal(
  error: { readonly code: PaymentIntentsErrorCode; readonly retryable: boolean },
  hasBegun: boolean,
): boolean {
  return hasBegun ? refusals.includes(error.code) : !error.retryable
}
