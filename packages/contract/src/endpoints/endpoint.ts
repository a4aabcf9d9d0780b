import type { z } from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { roles } from '../roles.ts'

/** Describes an endpoint for the OpenAPI document, the server, the client and the test service. */
export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** OpenAPI path template; `{id}` is the id of an `object`. `/receipt` has no version: receipts are kept for years. */
  readonly path: `/v1/${string}` | '/receipt'
  readonly object?: ObjectName
  /**
   * `api_key`: a merchant's backend, or a person who is signed in to the dashboard. A read-only key may only send
   * `GET`. `none`: a page of any origin.
   */
  readonly auth: 'api_key' | 'none'
  /** The least role of a person who may call it. By default `reader` for `GET`, and `support` for other methods. */
  readonly role?: Role
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** An omitted body counts as `{}`. */
  readonly isBodyOptional?: boolean
  /** The maximum bytes of a request's body, if not `limits.requestBytes`. */
  readonly bodyBytes?: number
  readonly response: z.ZodType
  /** The media type of a response that is streamed as text. By default a response is JSON, sent as a whole. */
  readonly streams?: 'text/csv'
  /** For a list: the field of its last item that `starting_after` of the next page gets. */
  readonly cursor?: 'id' | 'event' | 'cursor'
  /** Errors besides those implied by `auth`, `{id}`, `query` and `body`. */
  readonly errors?: readonly ErrorCode[]
  /**
   * The effect of sending the same request twice. `idempotent`: the same as once. `keyed`: the same as once with the
   * same `Idempotency-Key`. `unsafe`: something else, so clients must not retry it without a response.
   */
  readonly idempotency: 'idempotent' | 'keyed' | 'unsafe'
  /** The response is stored for 24 h by `Idempotency-Key` and replayed. */
  readonly storesResponse?: boolean
  /** The header `Payment-Signature` may have the x402 payment for the created object. */
  readonly acceptsX402?: boolean
  /** Status of a temporary `internal_error`; 503 by default. The published interface has only 500 for creation. */
  readonly unavailable?: 500
  readonly summary: string
  readonly description?: string
}

/** A person's role in the dashboard: an owner may do everything, a reader only reads. */
export type Role = (typeof roles)[number]

/** The object that an id identifies. */
export type ObjectName =
  | 'payment intent'
  | 'event'
  | 'transfer'
  | 'refund'
  | 'payment link'
  | 'return origin'
  | 'webhook endpoint'

/** The parameters of an endpoint besides the id: its query or its body. */
export type ParametersOf<E extends Endpoint> = E extends {
  readonly [Part in 'query' | 'body']?: infer Schema extends z.ZodType
}
  ? z.input<Schema>
  : never

/** The body of an endpoint's response with status 200. */
export type ResponseOf<E extends Endpoint> = z.output<E['response']>
