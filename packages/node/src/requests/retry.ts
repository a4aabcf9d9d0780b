import type { Endpoint } from '@payment-intents/contract'
import { retryAfterMs } from '@payment-intents/contract/errors'
import type { PaymentIntentsErrorCode } from '../errors/paymentIntentsError.ts'

export type Idempotency = Endpoint['idempotency']

export type Failure = {
  readonly code: PaymentIntentsErrorCode
  readonly status: number | undefined
  /** Headers of the response, if any. */
  readonly headers: Pick<Headers, 'get'> | undefined
  readonly idempotency: Idempotency
}

const transientStatuses = [500, 502, 503, 504, 520, 521, 522, 523, 524, 429]
const firstDelay = 250
const longestDelay = 5_000
const longestRetryAfter = 60_000

/** Whether the same request may succeed if sent again unchanged. */
export function isRetryable({ code, status, headers, idempotency }: Failure): boolean {
  const shouldRetry = headers?.get('x-should-retry')
  if (shouldRetry === 'false') return false
  // Only these responses guarantee that the request had no effect.
  if (idempotency === 'unsafe' && status !== 429 && shouldRetry !== 'true') return false
  if (code === 'network_error' || code === 'timeout') return true
  if (status === undefined) return false
  return transientStatuses.includes(status) || (status === 409 && shouldRetry === 'true')
}

/**
 * Milliseconds to wait before the next attempt, or undefined if there is none: the failure is final, a 429 has
 * no `Retry-After`, or its `Retry-After` is too long. Exponential back-off with full jitter, at least `Retry-After`.
 *
 * @param attempt the number of the failed attempt, from 1
 */
export function retryDelay(
  failure: Failure,
  attempt: number,
  random: () => number = Math.random,
  now: number = Date.now(),
): number | undefined {
  if (!isRetryable(failure)) return undefined
  const requested = retryAfterMs(failure.headers?.get('retry-after'), now)
  if (requested === undefined) {
    const unrequested = failure.headers?.get('x-should-retry') !== 'true'
    if (failure.status === 429 && unrequested) return undefined
  } else if (requested > longestRetryAfter) return undefined
  const backoff = random() * Math.min(longestDelay, firstDelay * 2 ** (attempt - 1))
  return Math.max(requested ?? 0, backoff)
}

/** The result of the last attempt, or milliseconds until the next attempt. */
export type AttemptResult<Result> =
  | { readonly type: 'done'; readonly result: Result }
  | { readonly type: 'retry'; readonly delay: number }

/**
 * Makes attempts until an attempt is done or throws.
 *
 * @param signal ends a wait early; the next attempt has to check it
 */
export async function withRetries<Result>(
  attempt: (count: number) => Promise<AttemptResult<Result>>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let count = 1; ; count += 1) {
    const outcome = await attempt(count)
    if (outcome.type === 'done') return outcome.result
    await pause(outcome.delay, signal)
  }
}

/** Resolves early when the signal is aborted. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
    // `onRetry` may have aborted it.
    if (signal?.aborted) end()
  })
}
