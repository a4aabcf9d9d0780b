import type { Event } from '@payment-intents/contract'
import type { Client } from '@payment-intents/node'
import { isPaymentIntentsError, type PaymentIntentsErrorCode } from '@payment-intents/node'
import { pause } from '../pause.ts'

type Following = {
  readonly client: Client
  /** Begins after this event; undefined: with the next new event. */
  readonly since: string | undefined
  readonly pollMs: number
  readonly signal: AbortSignal
}

export type Sighting =
  | { readonly kind: 'event'; readonly event: Event }
  /** No event after `after` is missed; undefined if there were no events yet. */
  | { readonly kind: 'ready'; readonly after: string | undefined }
  | { readonly kind: 'lost'; readonly message: string }
  | { readonly kind: 'regained' }

/**
 * Yields every new event once until the signal is aborted. While the service is unreachable, it keeps polling.
 *
 * @throws PaymentIntentsError when retrying would not help
 */
export async function* pollEvents(following: Following): AsyncGenerator<Sighting> {
  const { client, since, pollMs, signal } = following
  const options = { signal, maxRetries: 0 }
  // Invariant: every event up to `cursor` was yielded, or is older than the starting point.
  let cursor = since
  let hasBegun = false
  let hasGap = false

  while (!signal.aborted) {
    try {
      if (!hasBegun && since === undefined) cursor = await newestEvent(client, options)
      const page = await client.events.list({ ...after(cursor), limit: 100 }, options)
      if (!hasBegun) yield { kind: 'ready', after: cursor }
      else if (hasGap) yield { kind: 'regained' }
      hasBegun = true
      hasGap = false
      for (const event of page.data) {
        // The consumer may have spent a while on the last event.
        if (signal.aborted) return
        yield { kind: 'event', event }
        cursor = event.id
      }
      if (page.has_more) continue
    } catch (error) {
      if (signal.aborted) return
      if (!isPaymentIntentsError(error) || isFinal(error, hasBegun)) throw error
      if (!hasGap) yield { kind: 'lost', message: error.message }
      hasGap = true
    }
    await pause(pollMs, signal)
  }
}

/**
 * The id of the newest event. Events are listed oldest first, over 30 days; starting at the newest payment intent's
 * first event leaves few pages to read.
 */
async function newestEvent(
  client: Client,
  options: { signal: AbortSignal },
): Promise<string | undefined> {
  const [intent] = (await client.paymentIntents.list({ limit: 1 }, options)).data
  const filter = intent && { payment_intent: intent.id, limit: 1 }
  let cursor = filter && (await client.events.list(filter, options)).data[0]?.id
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

/** After the service has responded once, other errors may come from a proxy and count as temporary. */
function isFinal(
  error: { readonly code: PaymentIntentsErrorCode; readonly retryable: boolean },
  hasBegun: boolean,
): boolean {
  return hasBegun ? refusals.includes(error.code) : !error.retryable
}
