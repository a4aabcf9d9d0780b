import { limits } from '@payment-intents/contract'
import { type Issue, type PaymentIntentsError, rejected } from './errors.ts'
import { defaultFetch } from './transport/defaultFetch.ts'

/** What `onRetry` is told before each wait. */
export type RetryEvent = {
  /** The attempt that failed, from 1. */
  readonly attempt: number
  /** Milliseconds until the next one. */
  readonly delay: number
  readonly error: PaymentIntentsError
}

/** `console` is one. It is handed method, path, status, attempt, duration and request id: no body, no secret. */
export type Logger = {
  debug?(message: string, facts: Record<string, unknown>): void
  warn?(message: string, facts: Record<string, unknown>): void
}

/** Options of a call that needs no idempotency key: all that only read, and those of webhook endpoints. */
export type ReadOptions = {
  /** Milliseconds for one attempt, the answer's body included; 10,000 unless told. */
  timeout?: number | undefined
  /** Milliseconds for the whole call, waits included, and of a list for each page; 90,000 unless told. */
  deadline?: number | undefined
  /** Attempts after the first; 2 unless told. */
  maxRetries?: number | undefined
  /** Ends the call at once, also while it waits. */
  signal?: AbortSignal | undefined
  /** Sent besides the client's own, which cannot be replaced. */
  headers?: Readonly<Record<string, string>> | Headers | undefined
  /** Instead of `globalThis.fetch`, or what Node.js has under it. */
  fetch?: typeof globalThis.fetch | undefined
  onRetry?: ((event: RetryEvent) => void) | undefined
  logger?: Logger | undefined
}

export type ClientOptions = ReadOptions & {
  /** `sk_test_…` or `sk_live_…`; `PAYMENT_INTENTS_API_KEY` unless told. */
  apiKey?: string | undefined
  /**
   * Where the service answers, like `https://pay.example.com`; `PAYMENT_INTENTS_BASE_URL` unless told. Plain `http` is
   * taken for `localhost`, 127.0.0.0/8 and `[::1]`, and for other hosts with an `sk_test_` key alone: anybody on the way
   * could read a live one.
   */
  baseUrl?: string | undefined
}

/** Each replaces the client's option of that name, except that `headers` are merged. */
export type CallOptions = ReadOptions & {
  /** Repeating a call with its key never makes a second intent; a new UUID unless told. */
  idempotencyKey?: string | undefined
}

/** Every option of one call, settled. */
export type Settings = {
  readonly baseUrl: string
  readonly timeout: number
  readonly deadline: number
  readonly maxRetries: number
  readonly signal: AbortSignal | undefined
  /** As the caller gave it; the call makes its own otherwise. */
  readonly idempotencyKey: string | undefined
  /** The later ones win over those of the same name, which may be written in another case. */
  readonly headers: readonly (Readonly<Record<string, string>> | Headers)[]
  readonly fetch: typeof globalThis.fetch
  readonly onRetry: ((event: RetryEvent) => void) | undefined
  readonly logger: Logger | undefined
}

/** @throws PaymentIntentsError `invalid_body` */
export function settle(baseUrl: string, client: ReadOptions, call: CallOptions = {}): Settings {
  const settings: Settings = {
    baseUrl,
    timeout: call.timeout ?? client.timeout ?? 10_000,
    deadline: call.deadline ?? client.deadline ?? 90_000,
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

// A longer timer fires at once.
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
  // HTTP drops outer spaces, and would make two keys one.
  const isText = typeof key === 'string' && /^[!-~]([ -~]*[!-~])?$/.test(key)
  return isText && key.length <= limits.idempotencyKeyLength
}
