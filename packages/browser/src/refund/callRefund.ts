import type { NameDestination, ResolvedRefund, ResolveRefund } from '@payment-intents/contract'
import { toJson } from '../lib/toJson.ts'

/** The service's response. `unreachable`: no usable response; the same request may succeed in a moment. */
export type Reply =
  | { type: 'refund'; refund: ResolvedRefund }
  | { type: 'refused'; code: string }
  | { type: 'unreachable' }

type Requests = { resolve: ResolveRefund; destination: NameDestination }

/** Sends the token in the body, where no log, referrer or history keeps it. */
export async function callRefund<Operation extends keyof Requests>(
  operation: Operation,
  request: Requests[Operation],
  signal?: AbortSignal,
): Promise<Reply> {
  try {
    const response = await fetch(new URL(`../v1/refunds/${operation}`, location.href), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: toJson(request),
      cache: 'no-store',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      ...(signal ? { signal } : {}),
    })
    const body = await response.json()
    if (response.ok) return { type: 'refund', refund: body }
    const isFinal = response.status < 500 && response.status !== 429
    return isFinal ? { type: 'refused', code: String(body.error) } : { type: 'unreachable' }
  } catch {
    return { type: 'unreachable' }
  }
}
