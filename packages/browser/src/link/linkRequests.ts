import type {
  PaidPaymentLink,
  PayPaymentLink,
  ResolvedPaymentLink,
  ResolvePaymentLink,
} from '@payment-intents/contract'
import type { ServiceResponse } from '../service/callService.ts'
import { sharedParts } from './sharedParts.ts'

export type Outage = 'offline' | 'unreachable' | 'rate_limited' | 'faulty'

/** The same request may succeed in a moment. */
type Failed = { outcome: 'failed'; cause: Outage; retryAfterMs: number }

export type LinkOutcome =
  | { outcome: 'resolved'; link: ResolvedPaymentLink }
  | { outcome: 'not_found' }
  | Failed

export type PayOutcome =
  | { outcome: 'created'; clientSecret: string }
  /** `in_flight`: the visitor's open payment may be on its way. `closed`: the link takes no payment. */
  | { outcome: 'in_flight' | 'closed' | 'no_wallet' | 'not_found' }
  | Failed

type Requests = { resolve: ResolvePaymentLink; pay: PayPaymentLink }

/** Never rejects. */
export async function resolveLink(
  baseUrl: string,
  request: ResolvePaymentLink,
  signal: AbortSignal,
): Promise<LinkOutcome> {
  const response = await callLink(baseUrl, 'resolve', request, signal)
  if (response?.status === 200) {
    const link = parseLink(response.body, baseUrl)
    return link ? { outcome: 'resolved', link } : failed(response)
  }
  return isMissing(response) ? { outcome: 'not_found' } : failed(response)
}

/** Creates a payment, or opens the visitor's again. Never rejects. */
export async function payLink(
  baseUrl: string,
  request: PayPaymentLink,
  signal: AbortSignal,
): Promise<PayOutcome> {
  const response = await callLink(baseUrl, 'pay', request, signal)
  const { client_secret: clientSecret }: Partial<PaidPaymentLink> = Object(response?.body)
  if (response && response.status < 300 && clientSecret) return { outcome: 'created', clientSecret }
  const { error, reason } = Object(response?.body)
  if (error === 'wallet_invalid') return { outcome: 'no_wallet' }
  if (reason === 'payment_in_flight') return { outcome: 'in_flight' }
  if (reason === 'payment_link_closed') return { outcome: 'closed' }
  return isMissing(response) ? { outcome: 'not_found' } : failed(response)
}

function callLink<Operation extends keyof Requests>(
  baseUrl: string,
  operation: Operation,
  request: Requests[Operation],
  signal: AbortSignal,
): Promise<ServiceResponse | null> {
  const send = (_: unknown, __: unknown, signal: AbortSignal) =>
    post(`${baseUrl}/v1/payment_links/${operation}`, request, signal)
  return sharedParts.callService(send, 'resolve', {}, signal)
}

/** Like the checkout's `post`, which bundlers would move to a separate file if this file imported it. */
export function post(url: string, request: object, signal: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    // Without a prototype, whose `toJSON` would decide the request body. Text needs no CORS preflight.
    body: JSON.stringify({ __proto__: null, ...request }),
    cache: 'no-store',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal,
  })
}

function failed(response: ServiceResponse | null): Failed {
  const cause = response
    ? response.status === 429
      ? 'rate_limited'
      : 'faulty'
    : navigator.onLine
      ? 'unreachable'
      : 'offline'
  return { outcome: 'failed', cause, retryAfterMs: response?.retryAfterMs ?? 0 }
}

/** A malformed id is an issue of its property; any other 404 is not from the service. */
function isMissing(response: ServiceResponse | null): boolean {
  const { error, issues } = Object(response?.body)
  return error === 'not_found' || Boolean(issues?.[0]?.path)
}

/** Null if invalid; checks only fields that are calculated with, drawn or loaded. */
function parseLink(body: unknown, baseUrl: string): ResolvedPaymentLink | null {
  const link: Partial<ResolvedPaymentLink> = Object(body)
  const { networks, payment, picture } = link
  const isValid =
    [link.id, link.status, link.merchant_name, link.description, link.token_symbol].every(isText) &&
    [link.amount_units, link.min_units, link.max_units].every(isUnits) &&
    Number.isInteger(link.decimals) &&
    Array.isArray(networks) &&
    networks.every(
      (network) =>
        isText(network?.chain) && isText(network?.name) && isUnits(network?.balance_units),
    ) &&
    (payment === null || isText(payment?.client_secret))
  if (!isValid) return null
  return { ...(link as ResolvedPaymentLink), picture: ofService(picture, baseUrl) }
}

/** A picture of any other origin would tell it who pays. */
function ofService(picture: unknown, baseUrl: string): string | null {
  if (!isText(picture) || !URL.canParse(picture, baseUrl)) return null
  const { href, origin, protocol } = new URL(picture, baseUrl)
  return /^https?:$/.test(protocol) && origin === new URL(baseUrl).origin ? href : null
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isUnits(value: unknown): boolean {
  return value === null || (Number.isSafeInteger(value) && Number(value) >= 0)
}
