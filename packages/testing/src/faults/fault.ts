import type { ConflictReason, ErrorCode } from '@payment-intents/contract'

/** The fault that one request meets. */
export type Fault =
  /** No fault: the request and its response are passed on. */
  | { readonly type: 'none' }
  /** The response is delayed by this many milliseconds. */
  | { readonly type: 'delay'; readonly milliseconds: number }
  /** The response's body is sent byte by byte, with this interval in milliseconds. */
  | { readonly type: 'trickle'; readonly milliseconds: number }
  | (Disturbance & {
      /** The upstream receives the request, and its response is lost; by default it does not receive it. */
      readonly committed?: boolean
    })

type Disturbance =
  /** An error of the service, with the status that belongs to its code. */
  | ({ readonly type: 'error'; readonly code: ErrorCode; readonly reason?: ConflictReason } & Hints)
  /** The response of a proxy: any status, including 200, and an HTML page by default. */
  | ({ readonly type: 'page'; readonly status: number; readonly body?: string } & Hints)
  | { readonly type: 'redirect'; readonly location: string; readonly status?: number }
  /** The connection is reset (RST) before the response, or in the middle of its body. */
  | { readonly type: 'reset'; readonly at: 'headers' | 'body' }
  /** Nothing more is sent and the connection stays open: before the response, or in the middle of its body. */
  | { readonly type: 'stall'; readonly at: 'headers' | 'body' }
  /** The body ends before its `Content-Length`, or without the last chunk, by an orderly close (FIN). */
  | { readonly type: 'truncate'; readonly framing: 'length' | 'chunked' }
  /** 200 with the first half of a JSON text. */
  | { readonly type: 'broken_json' }
  /** 200 with JSON that matches no endpoint. */
  | { readonly type: 'wrong_shape' }
  /** 200 with `Content-Encoding: gzip` and a body that is not gzip. */
  | { readonly type: 'broken_gzip' }
  /** A 500, followed at once by an unsolicited response: a 200 with this JSON. */
  | { readonly type: 'unsolicited_response'; readonly json: unknown }
  /** Bytes that are not HTTP, then an orderly close. */
  | { readonly type: 'not_http' }

type Hints = {
  /** `Retry-After`: seconds, or a date. */
  readonly retryAfter?: number | Date
  /** `X-Should-Retry` */
  readonly shouldRetry?: boolean
}

type FaultName = Fault extends infer Each ? (Each extends Each ? keyof Each : never) : never

export const faultNames: Record<FaultName, true> = {
  ...{ type: true, milliseconds: true, committed: true, code: true, reason: true, status: true },
  ...{ body: true, location: true, at: true, framing: true, json: true },
  ...{ retryAfter: true, shouldRetry: true },
}
