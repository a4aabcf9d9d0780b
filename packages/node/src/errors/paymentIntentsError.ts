import { type ErrorCode, errorTable } from '@payment-intents/contract/errors'

/** Codes that no call of this client gets: it uses the right methods, and no person signs in by it. */
const neverReceived = ['method_not_allowed', 'session_invalid', 'proof_required'] as const
export type ServiceErrorCode = Exclude<ErrorCode, (typeof neverReceived)[number]>

/** Every `code` of a {@link PaymentIntentsError}; closed, so that a `switch` over it can be exhaustive. */
export type PaymentIntentsErrorCode =
  | ServiceErrorCode
  | 'network_error'
  | 'timeout'
  | 'aborted'
  | 'invalid_response'
  | 'unexpected_status'
  | 'signer_failed'

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

// In the global registry, so that the ESM copy, the CommonJS copy and other realms share it.
const brand = Symbol.for('@payment-intents/node/error')

/**
 * The only error that a client throws; `verifyWebhook` throws `WebhookVerificationError`. `message` says what to do
 * next; branch on `code`.
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
  /** HTTP status of the last response; undefined without a response. */
  readonly status: number | undefined
  /** `X-Request-Id` of the last response. */
  readonly requestId: string | undefined
  /** Number of requests sent. */
  readonly attempts: number
  /** Whether the same call may succeed later. Repeat it with the same `idempotencyKey`, if any. */
  readonly retryable: boolean
  /**
   * The key that every attempt carried; undefined if the call needs none or its parameters were refused. If a refund was created
   * and a later step of the call failed, the key of its creation.
   */
  readonly idempotencyKey: string | undefined
  /** Why a `conflict` occurred. */
  readonly reason: string | undefined
  /** One entry per invalid field; `path` is dotted, `''` for the whole body. */
  readonly issues: readonly Issue[]
  /** The body of the last response: parsed if it is JSON, otherwise text. Secrets are masked. */
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
 * Whether a caught value is a {@link PaymentIntentsError}. Unlike `instanceof`, this also works when the package
 * is loaded twice, such as once as ESM and once as CommonJS.
 */
export function isPaymentIntentsError(value: unknown): value is PaymentIntentsError {
  return typeof value === 'object' && value !== null && brand in value
}

export function isServiceCode(code: unknown): code is ServiceErrorCode {
  const isNeverReceived = neverReceived.some((candidate) => candidate === code)
  return typeof code === 'string' && !isNeverReceived && Object.hasOwn(errorTable, code)
}

export function hint(code: ServiceErrorCode): string {
  return errorTable[code].hint
}

/** An error in the caller's arguments: nothing was sent. */
export function rejected(
  code: 'invalid_body' | 'api_key_missing' | 'api_key_invalid',
  message: string,
  issues: readonly Issue[] = [],
): PaymentIntentsError {
  return new PaymentIntentsError({ code, message, issues })
}
