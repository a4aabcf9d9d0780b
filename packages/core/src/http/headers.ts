import { x402Headers } from '@payment-intents/contract'

const preflightSeconds = '86400'

/** Headers of every response. */
export function commonHeaders(requestId: string): Record<string, string> {
  return { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' }
}

/** Lets pages of any origin read a response, errors included; never with credentials. */
export const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Request-Id, Retry-After',
} as const

/** For a response of an x402 link, which is not cached. */
export const x402AnyOrigin = {
  ...anyOrigin,
  'access-control-expose-headers': `${x402Headers.required}, ${x402Headers.response}, X-Request-Id, Retry-After`,
  'cache-control': 'no-store',
} as const

/** The response to a browser's preflight of a JSON `POST`; cached for a day. */
export const preflight = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type, x-request-id',
  'access-control-max-age': preflightSeconds,
} as const

/** The same for an x402 link. x402 clients send the third header with their payment. */
export const x402Preflight = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': `${x402Headers.signature}, ${x402Headers.version1}, access-control-expose-headers, content-type, x-request-id`,
  'access-control-max-age': preflightSeconds,
} as const

/** JSON for this caller only. */
export const jsonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
} as const

/**
 * CSV for this caller only.
 * @param fileName ASCII without quotes
 */
export function csvHeaders(fileName: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${fileName}"`,
    'cache-control': 'no-store',
  }
}

/** The caller's request id if it is valid, otherwise a new id. */
export function requestId(header: string | null | undefined, newId: () => string): string {
  return header && /^[\w.:-]{1,128}$/.test(header) ? header : newId()
}
