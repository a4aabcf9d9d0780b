import { type WebhookErrorCode, windows } from '@payment-intents/contract'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The waits between one attempt and the next. */
const waits = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/** The longest wait that a receiver may request. */
const longestRetryAfter = 24 * hour

/** The time limit for an attempt's response. */
export const deliveryTimeoutMs = windows.webhookResponse * second

/** An endpoint that responds with it is disabled at once. */
export const disablingStatus = 410

/** Why an attempt has no response, as merchants read it. */
export type DeliveryError = { readonly code: WebhookErrorCode; readonly message: string }

export const deliveryErrors = {
  timeout: (timeoutMs: number): DeliveryError => {
    return {
      code: 'timeout',
      message: `The endpoint sent no response within ${timeoutMs / second} seconds.`,
    }
  },
  broken: {
    code: 'connection_broken',
    message: 'The connection broke before a response.',
  },
} as const satisfies Record<string, DeliveryError | ((timeoutMs: number) => DeliveryError)>

/** An endpoint is disabled if every delivery fails for this long. */
export const failingDays = 5

type Failure = {
  /** Attempts so far, this one included. */
  attempts: number
  /** The `Retry-After` of the response. */
  retryAfterMs: number | null
  /** In [0, 1). */
  random: number
}

/**
 * When to send a webhook again after a failure.
 * @returns milliseconds from now, up to a tenth later than planned so that webhooks that failed together do not return
 * together; `null`: never
 */
export function nextWait({ attempts, retryAfterMs, random }: Failure): number | null {
  const wait = waits[attempts - 1]
  if (wait === undefined) return null
  const requested = Math.min(retryAfterMs ?? 0, longestRetryAfter)
  return Math.round(Math.max(wait, requested) * (1 + random / 10))
}

/**
 * Whether a status means that a webhook was received.
 * @param status null: no response
 */
export function isDelivered(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300
}
