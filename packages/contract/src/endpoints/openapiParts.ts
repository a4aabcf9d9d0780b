import { type ErrorCode, errorTable } from '../errors.ts'
import { limits } from '../schemas/paymentIntent.ts'
import type { Endpoint } from './endpoint.ts'

type Headers = Readonly<Record<string, unknown>>

const requestId = {
  description: "The id of the request: the caller's, or a new id.",
  schema: { type: 'string' },
}

const retryAfter = {
  description: 'Seconds to wait before the same request is sent again.',
  schema: { type: 'integer', format: 'int32', minimum: 1 },
}

const shouldRetry = {
  description:
    '`true`, and with it `Retry-After`, when `reason` is `idempotency_key_in_flight`: send the same request again to get the response of the first request once it is done.',
  schema: { type: 'string', const: 'true' },
}

const replayed = {
  description: '`true` when this is the stored response of an earlier request.',
  schema: { type: 'string', const: 'true' },
}

const endedAs = {
  description:
    'The end of the payment intent of a stored response: `expired`, `canceled` or `succeeded`. Absent while it can still be paid. An order whose intent has expired or was canceled needs a new `Idempotency-Key`.',
  schema: { type: 'string' },
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'A request that is repeated under its key gets the first response, for 24 h.',
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: limits.idempotencyKeyLength,
    pattern: '^[ -~]+$',
  },
}

const paymentSignature = {
  name: 'Payment-Signature',
  in: 'header',
  description:
    'The x402 payment for the payment intent, which then reserves no payable amount. The service checks it first: it creates nothing for a payment that it would refuse, and `reason` says why. Submit the payment at `links.x402`, like any other payment.',
  schema: { type: 'string' },
}

/** Optional request headers. */
export function headerParametersOf({ storesResponse, acceptsX402 }: Endpoint): object[] {
  return [...(storesResponse ? [idempotencyKey] : []), ...(acceptsX402 ? [paymentSignature] : [])]
}

const disposition = {
  description: 'The name of the file, after its period.',
  schema: { type: 'string' },
}

/** The headers of a 200. */
export function headersOf({ storesResponse, streams }: Endpoint): Headers {
  const replayHeaders = { 'Idempotent-Replayed': replayed, 'Payment-Intent-Status': endedAs }
  return {
    'X-Request-Id': requestId,
    ...(storesResponse ? replayHeaders : {}),
    ...(streams ? { 'Content-Disposition': disposition } : {}),
  }
}

/** The responses of an endpoint other than 200, by status. */
export function errorResponsesOf(
  codes: readonly ErrorCode[],
  { storesResponse, unavailable }: Endpoint,
  content: object,
): Record<number, object> {
  const response = (errors: readonly ErrorCode[]) => ({
    description: errors.map((code) => `\`${code}\`: ${errorTable[code].hint}`).join('\n\n'),
    headers: Object.assign({ 'X-Request-Id': requestId }, ...errors.map(retryHeadersOf)),
    content,
  })
  function retryHeadersOf(code: ErrorCode): Headers {
    if (code === 'conflict' && storesResponse) {
      return { 'Retry-After': retryAfter, 'X-Should-Retry': shouldRetry }
    }
    return errorTable[code].retryable ? { 'Retry-After': retryAfter } : {}
  }
  const statuses = [...new Set(codes.map((code) => errorTable[code].status))]
  const codesOf = (status: number) => codes.filter((code) => errorTable[code].status === status)
  return {
    ...Object.fromEntries(statuses.map((status) => [status, response(codesOf(status))])),
    [unavailable ?? 503]: response(['internal_error']),
  }
}

/** The headers of every webhook (Standard Webhooks). */
export const webhookHeaders = [
  ['webhook-id', 'Id of the event; the same each time it is sent.'],
  ['webhook-timestamp', 'When this request was signed, Unix seconds.'],
  ['webhook-signature', 'One signature or, while a secret is rotated, two: `v1,` and base64.'],
].map(([name, description]) => {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } }
})
