import type { ConflictReason, ErrorBody, ErrorCode, ObjectName } from '@payment-intents/contract'

type Details = Pick<ErrorBody, 'reason' | 'issues'>
type Headers = Readonly<Record<string, string>>

/** Ends a request with one row of the error table. */
export class HttpError extends Error {
  readonly code: ErrorCode
  readonly details: Details
  readonly headers: Headers

  constructor(code: ErrorCode, message: string, details: Details = {}, headers: Headers = {}) {
    super(message)
    this.code = code
    this.details = details
    this.headers = headers
  }
}

export function invalidBody(issues: { path: string; message: string }[]): HttpError {
  const [first] = issues
  const where = first?.path ? `\`${first.path}\`: ` : ''
  return new HttpError('invalid_body', `${where}${first?.message ?? 'invalid'}`, { issues })
}

/** The part of a zod error that is used here. */
export type SchemaError = {
  readonly issues: readonly {
    readonly path: readonly PropertyKey[]
    readonly message: string
    /** The keys of `unrecognized_keys`. */
    readonly keys?: readonly string[]
  }[]
}

/** The issues of a schema in the API's form. */
export function toIssues(error: SchemaError): { path: string; message: string }[] {
  return error.issues.flatMap(({ path, message, keys }) => {
    if (!keys) return [{ path: path.join('.'), message }]
    return keys.map((key) => {
      return { path: [...path, key].join('.'), message: 'is not a known property' }
    })
  })
}

const conflicts = {
  idempotency_key_reused:
    'This Idempotency-Key was used with another body in the last 24 hours. Use a new key for a new request.',
  idempotency_key_in_flight:
    'The service still works on a request with this Idempotency-Key. Send the same request again.',
  no_payable_amount_left:
    'Too many open payment intents have this amount at this wallet to tell a manual payment apart. Use lane `sdk`, another wallet_address, or a different amount.',
}

/** The error for a creation that conflicts with another. */
export function creationConflict(reason: keyof typeof conflicts): HttpError {
  return conflict(reason, conflicts[reason])
}

export function conflict(reason: ConflictReason, message: string): HttpError {
  const isTransient = reason === 'idempotency_key_in_flight'
  const headers = isTransient ? { ...retryAfter(1), 'x-should-retry': 'true' } : {}
  return new HttpError('conflict', message, { reason }, headers)
}

/** The same whether the object does not exist or belongs to another merchant or mode. */
export function notFoundError(noun: ObjectName | 'transfer or payment intent'): HttpError {
  return new HttpError(
    'not_found',
    `There is no ${noun} with this id for this API key's merchant and mode.`,
  )
}

/** A payment intent that has not succeeded, or whose payment the chain took back, has no receipt. */
export function notPaid(): HttpError {
  return conflict('illegal_state', 'The payment intent has no receipt until it has succeeded.')
}

/** A fault of the server: a retry may succeed soon. */
export function internalError(): HttpError {
  return new HttpError(
    'internal_error',
    'Something went wrong on the server; retry the request.',
    {},
    retryAfter(1),
  )
}

/** @param seconds until a retry is allowed */
export function rateLimited(seconds: number): HttpError {
  const message = `Too many requests; wait ${seconds} s.`
  return new HttpError('rate_limited', message, {}, retryAfter(seconds))
}

function retryAfter(seconds: number): Headers {
  return { 'retry-after': String(seconds) }
}
