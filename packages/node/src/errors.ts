import { type ErrorCode, errorTable } from '@payment-intents/contract/errors'

/** The codes that the service answers the calls of this client with. */
const serviceCodes = [
  'invalid_body',
  'wallet_invalid',
  'api_key_missing',
  'api_key_invalid',
  'merchant_not_found',
  'conflict',
  'internal_error',
  'intent_not_found',
  'rate_limited',
  'not_found',
] as const satisfies readonly ErrorCode[]

export type ServiceErrorCode = (typeof serviceCodes)[number]

/** Every `code` of a {@link PaymentIntentsError}; closed, so that a `switch` over it can be exhaustive. */
export type PaymentIntentsErrorCode =
  | ServiceErrorCode
  | 'network_error'
  | 'timeout'
  | 'aborted'
  | 'invalid_response'
  | 'unexpected_status'

export type Issue = { readonly path: string; readonly message: string }

export type ErrorFacts = {
  code: PaymentIntentsErrorCode
  message: string
  status?: number | undefined
  requestId?: string | undefined
  attempts?: number
  retryable?: boolean
  idempotencyKey?: string | undefined
  reason?: string | undefined
  issues?: readonly Issue[]
  body?: unknown
  cause?: unknown
}

// In the global registry, so that the ESM copy, the CommonJS copy and another realm agree on it.
const brand = Symbol.for('@payment-intents/node/error')

/**
 * The only error that a client throws; of webhooks there is `WebhookVerificationError`. `message` says what to do next,
 * `code` is for the program.
 *
 * @example
 * ```ts
 * import { isPaymentIntentsError } from '@payment-intents/node'
 *
 * function explain(error: unknown): string {
 *   if (!isPaymentIntentsError(error)) throw error
 *   return `${error.code}, request ${error.requestId}`
 * }
 * ```
 */
export class PaymentIntentsError extends Error {
  readonly code: PaymentIntentsErrorCode
  /** HTTP status of the last answer; undefined when there was none. */
  readonly status: number | undefined
  /** The service's `X-Request-Id`, for its logs. */
  readonly requestId: string | undefined
  /** Requests sent before giving up; 0 when none was. */
  readonly attempts: number
  /** Whether the same call may succeed later; repeat it, with the same `idempotencyKey` if there is one. */
  readonly retryable: boolean
  /** What every attempt carried; undefined where none is needed, and when what was passed was refused. */
  readonly idempotencyKey: string | undefined
  /** What a `conflict` is with. */
  readonly reason: string | undefined
  /** One entry a faulty field; `path` is dotted, `''` for the whole. */
  readonly issues: readonly Issue[]
  /** The whole answer: JSON as a value, anything else as text; secrets are masked. */
  readonly body: unknown

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.status = facts.status
    this.requestId = facts.requestId
    this.attempts = facts.attempts ?? 0
    this.retryable = facts.retryable ?? false
    this.idempotencyKey = facts.idempotencyKey
    this.reason = facts.reason
    this.issues = facts.issues ?? []
    this.body = facts.body
  }

  override get name(): string {
    return 'PaymentIntentsError'
  }

  get [brand](): true {
    return true
  }

  toJSON(): Record<string, unknown> {
    return { name: this.name, message: this.message, ...Object.fromEntries(Object.entries(this)) }
  }
}

/**
 * Whether a caught value is a {@link PaymentIntentsError}. Unlike `instanceof` this also holds when the package
 * was loaded twice, as ESM and as CommonJS for instance.
 */
export function isPaymentIntentsError(value: unknown): value is PaymentIntentsError {
  return typeof value === 'object' && value !== null && brand in value
}

export function isServiceCode(code: unknown): code is ServiceErrorCode {
  return serviceCodes.some((known) => known === code)
}

export function hint(code: ServiceErrorCode): string {
  return errorTable[code].hint
}

/** An error of what the caller passed: nothing was sent. */
export function rejected(
  code: 'invalid_body' | 'api_key_missing' | 'api_key_invalid',
  message: string,
  issues: readonly Issue[] = [],
): PaymentIntentsError {
  return new PaymentIntentsError({ code, message, issues })
}
