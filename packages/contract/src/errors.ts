export type ErrorFacts = {
  readonly status: number
  /** Whether the same request may succeed if sent again unchanged. */
  readonly retryable: boolean
  /** Advice for the developer. */
  readonly hint: string
}

/** Every `error` of the service. The first seven are in the published interface. */
export const errorTable = {
  invalid_body: {
    status: 400,
    retryable: false,
    hint: 'Fix the request as `issues` says; do not retry it unchanged.',
  },
  wallet_invalid: {
    status: 400,
    retryable: false,
    hint: 'Pass a `wallet_address` that can receive USDC, or configure a wallet for this chain.',
  },
  api_key_missing: {
    status: 401,
    retryable: false,
    hint: 'Send `Authorization: Bearer <API key>` from your backend.',
  },
  api_key_invalid: {
    status: 401,
    retryable: false,
    hint: 'Check that the API key is complete, not revoked, and belongs to this server.',
  },
  session_invalid: {
    status: 401,
    retryable: false,
    hint: 'Sign in to the dashboard again.',
  },
  proof_required: {
    status: 403,
    retryable: false,
    hint: 'Use a passkey, or sign in by a new link; then send the request again.',
  },
  forbidden: {
    status: 403,
    retryable: false,
    hint: 'A read-only API key may send only GET; a person may do what their role allows.',
  },
  merchant_not_found: {
    status: 404,
    retryable: false,
    hint: 'The merchant that owns this API key has been closed.',
  },
  conflict: {
    status: 409,
    retryable: false,
    hint: '`reason` says what the request conflicts with.',
  },
  internal_error: {
    status: 500,
    retryable: true,
    hint: 'The server failed; retry with the same idempotency key.',
  },
  intent_not_found: {
    status: 404,
    retryable: false,
    hint: 'No payment intent has this client secret; create a new one.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    hint: 'Wait for the seconds in `Retry-After`, then send the request again.',
  },
  not_found: {
    status: 404,
    retryable: false,
    hint: 'Check the id, and that the API key belongs to its merchant and mode; /openapi.json lists every path.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    hint: 'Use a method named in the `Allow` header.',
  },
} as const satisfies Record<string, ErrorFacts>

export type ErrorCode = keyof typeof errorTable

/** The `reason` that a `conflict` carries. */
export type ConflictReason =
  | 'idempotency_key_reused'
  | 'idempotency_key_in_flight'
  | 'no_payable_amount_left'
  | 'illegal_state'
  /** The payment link is inactive, expired or fully used. */
  | 'payment_link_closed'
  | RefundRefusal
  | AuthorizationRefusal

/** Why a refund is refused. */
export type RefundRefusal =
  /** More than the finally received amount that is not refunded yet. */
  | 'amount_exceeds_refundable'
  /** A signature of it may still pay it. */
  | 'refund_in_flight'
  /** No block has the transaction yet. */
  | 'transaction_not_found'
  /** The transaction contains no transfer that pays this refund. */
  | 'transfer_mismatch'
  /** Another refund has the transfer. */
  | 'transfer_used'

/**
 * Why an authorization is refused. `payment_in_flight` is also the response to a cancellation meanwhile. All are a 409
 * `conflict` but `signature_invalid`, which is a 400 `invalid_body`.
 */
export type AuthorizationRefusal =
  | 'signature_invalid'
  | 'insufficient_token'
  | 'address_blocked'
  | 'token_paused'
  | 'authorization_used'
  | 'payment_in_flight'
  | 'intent_expired'
  | 'gasless_unavailable'

/** The body of every error response. */
export type ErrorBody = {
  error: ErrorCode
  /** A sentence for a developer. */
  message: string
  /** Also in the `X-Request-Id` header. */
  request_id: string
  reason?: ConflictReason
  /** One entry per invalid field; `path` is dotted, `''` for the body itself. */
  issues?: { path: string; message: string }[]
}

/**
 * Reads a `Retry-After` header: seconds or a date (RFC 9110, section 10.2.3).
 * @param now Unix milliseconds
 * @returns milliseconds from now; undefined without a valid header
 */
export function retryAfterMs(header: unknown, now: number): number | undefined {
  if (typeof header !== 'string') return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const date = header.endsWith('GMT') ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
