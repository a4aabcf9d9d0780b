import { limits } from '@payment-intents/contract'
import { type Issue, type PaymentIntentsError, rejected } from '../errors/paymentIntentsError.ts'
import { defaultFetch } from '../transport/defaultFetch.ts'

/** The argument of `onRetry`. */
export type RetryEvent = {
  /** The attempt that failed, from 1. */
  readonly attempt: number
  /** Milliseconds until the next attempt. */
  readonly delay: number
  readonly error: PaymentIntentsError
}

/** Such as `console`. It receives method, path, status, attempt, duration and request id, but no body and no secret. */
export type Logger = {
  debug?(message: string, facts: Record<string, unknown>): void
  warn?(message: string, facts: Record<string, unknown>): void
}

/** Options of a call without an idempotency key: reads, and the calls of webhook endpoints. */
export type ReadOptions = {
  /**
   * Milliseconds for one attempt, including the response's body; 10,000 by default. With neither this nor `deadline`,
   * `createPaymentIntent` has 4,000 for an attempt and 10,000 for the call, since a buyer waits for it.
   */
  timeout?: number | undefined
  /** Milliseconds for the whole call including waits; for a list, for each page; 90,000 by default. */
  deadline?: number | undefined
  /** Attempts after the first; 2 by default. */
  maxRetries?: number | undefined
  /** Aborts the call at once, also between attempts. */
  signal?: AbortSignal | undefined
  /** Sent in addition to the client's own headers, which cannot be replaced. */
  headers?: Readonly<Record<string, string>> | Headers | undefined
  /** Replaces `globalThis.fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  onRetry?: ((event: RetryEvent) => void) | undefined
  logger?: Logger | undefined
}

export type ClientOptions = ReadOptions & {
  /** `sk_test_…` or `sk_live_…`; `PAYMENT_INTENTS_API_KEY` by default. */
  apiKey?: string | undefined
  /**
   * URL of the service, such as `https://pay.example.com`; `PAYMENT_INTENTS_BASE_URL` by default. Plain `http` is
   * accepted for `localhost`, 127.0.0.0/8 and `[::1]`, and for other hosts only with an `sk_test_` key, so that a live
   * key is never sent unencrypted.
   */
  baseUrl?: string | undefined
}

/** Each option overrides the client's; `headers` are merged. */
export type CallOptions = ReadOptions & {
  /**
   * Repeating a call with the same key never creates a second intent; a new UUID by default. Passing `undefined` is an
   * error: the caller usually meant an order id that is missing.
   */
  idempotencyKey?: string
}

/** All options of one call, with defaults applied. */
export type Settings = {
  readonly baseUrl: string
  readonly timeout: number
  readonly deadline: number
  readonly maxRetries: number
  readonly signal: AbortSignal | undefined
  /** From the caller; if undefined, the call generates a key. */
  readonly idempotencyKey: string | undefined
  /** Later headers override earlier headers of the same name, case-insensitively. */
  readonly headers: readonly (Readonly<Record<string, string>> | Headers)[]
  readonly fetch: typeof globalThis.fetch
  readonly onRetry: ((event: RetryEvent) => void) | undefined
  readonly logger: Logger | undefined
}

/** Milliseconds. */
export type Limits = { readonly timeout: number; readonly deadline: number }

const usualLimits: Limits = { timeout: 10_000, deadline: 90_000 }

/**
 * @param limits when neither client nor call sets a timeout or a deadline
 * @throws PaymentIntentsError `invalid_body`
 */
export function settle(
  baseUrl: string,
  client: ReadOptions,
  call: CallOptions = {},
  limits: Limits = usualLimits,
): Settings {
  const timeout = call.timeout ?? client.timeout
  const deadline = call.deadline ?? client.deadline
  const defaults = timeout === undefined && deadline === undefined ? limits : usualLimits
  const settings: Settings = {
    baseUrl,
    timeout: timeout ?? defaults.timeout,
    deadline: deadline ?? defaults.deadline,
    maxRetries: call.maxRetries ?? client.maxRetries ?? 2,
    signal: call.signal ?? client.signal,
    idempotencyKey: call.idempotencyKey,
    headers: [client.headers ?? {}, call.headers ?? {}],
    fetch: call.fetch ?? client.fetch ?? defaultFetch,
    onRetry: call.onRetry ?? client.onRetry,
    logger: call.logger ?? client.logger,
  }
  const issues = faults(settings)
  if (issues.length === 0) return settings
  const list = issues.map(({ path, message }) => `${path} ${message}`).join('; ')
  throw rejected('invalid_body', `Nothing was sent, since an option is wrong: ${list}.`, issues)
}

// A timer with a longer delay fires at once.
const longestTimer = 2 ** 31 - 1

function faults(settings: Settings): Issue[] {
  const { timeout, deadline, maxRetries, signal } = settings
  const isTime = (value: number) => Number.isFinite(value) && value > 0 && value <= longestTimer
  const checks: [path: string, holds: boolean, message: string][] = [
    ['timeout', isTime(timeout), `must be milliseconds between 1 and ${longestTimer}`],
    ['deadline', isTime(deadline), `must be milliseconds between 1 and ${longestTimer}`],
    ['maxRetries', Number.isInteger(maxRetries) && maxRetries >= 0, 'must be 0 or more'],
    ['signal', !signal || isSignal(signal), 'must be an AbortSignal'],
    ['headers', settings.headers.every(isHeaders), 'must be names and values that HTTP allows'],
    ['fetch', typeof settings.fetch === 'function', 'must be a function'],
    [
      'idempotencyKey',
      settings.idempotencyKey === undefined || isIdempotencyKey(settings.idempotencyKey),
      `must be 1 to ${limits.idempotencyKeyLength} printable ASCII characters, the outer ones no spaces`,
    ],
  ]
  return checks.filter(([, holds]) => !holds).map(([path, , message]) => ({ path, message }))
}

function isSignal(signal: AbortSignal): boolean {
  return typeof signal.aborted === 'boolean' && typeof signal.addEventListener === 'function'
}

function isHeaders(headers: Settings['headers'][number]): boolean {
  try {
    new Headers(headers)
    return true
  } catch {
    return false
  }
}

function isIdempotencyKey(key: string): boolean {
  // HTTP strips outer spaces, which would make two keys equal.
  const isText = typeof key === 'string' && /^[!-~]([ -~]*[!-~])?$/.test(key)
  return isText && key.length <= limits.idempotencyKeyLength
}
