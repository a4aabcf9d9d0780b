import { decodeX402, x402Headers, x402Reasons } from '@payment-intents/contract'
import type { ClientOptions } from '../options/clientOptions.ts'
import { type HttpResponse, request } from '../requests/request.ts'
import { withRetries } from '../requests/retry.ts'
import { defaultFetch } from '../transport/defaultFetch.ts'

/** The service's outcome of a payment. */
export type SubmittedPayment =
  /** `response` is the header for the payer. */
  | { readonly type: 'paid'; readonly response: string }
  /** Not seen on chain yet: the payer sends the same payment again to get its outcome. */
  | { readonly type: 'pending'; readonly response: string; readonly settlement: unknown }
  /** `reason` is an x402 reason. */
  | { readonly type: 'refused'; readonly reason: string }
  /** The buyer has disconnected; nothing was claimed, so that the buyer's next request can claim it. */
  | { readonly type: 'gone' }

/** The service waits 25 seconds for the chain. */
const timeoutMs = 40_000
const attempts = 3
const pauseMs = 1_000

/**
 * Submits a payment to the link of its intent, and claims the paid call. Safe to retry.
 *
 * @throws Error without a usable response of the service
 */
export async function submitPayment(
  payment: { url: string; signature: string; disconnected: AbortSignal },
  { fetch = defaultFetch, signal }: ClientOptions,
): Promise<SubmittedPayment> {
  const ends = signal ? AbortSignal.any([signal, payment.disconnected]) : payment.disconnected
  const headers = new Headers({
    accept: 'application/json',
    [x402Headers.signature]: payment.signature,
    'payment-claim': crypto.randomUUID(),
  })
  return withRetries(async (attempt) => {
    const outcome = await request({
      ...{ fetch, method: 'POST', url: payment.url, headers, body: undefined },
      ...{ timeout: timeoutMs, signal: ends },
    })
    if (payment.disconnected.aborted) return { type: 'done', result: { type: 'gone' } }
    const response = outcome.type === 'responded' ? outcome.response : undefined
    const result = response && outcomeOf(response)
    if (result) return { type: 'done', result }
    const isFinal = outcome.type === 'aborted' || (response && response.status < 500)
    // The link is a capability, so no message contains it.
    if (isFinal || attempt === attempts)
      throw new Error(
        `The service did not accept the payment: ${response?.status ?? 'no response'}.`,
      )
    return { type: 'retry', delay: pauseMs }
  }, ends)
}

function outcomeOf({ status, headers, text }: HttpResponse): SubmittedPayment | null {
  const response = headers.get(x402Headers.response)
  const settlement = response && Object(decodeX402(response))
  if (status === 200 && settlement?.success === true)
    return { type: 'paid', response: response ?? '' }
  if (status === 402 && response && settlement.errorReason === x402Reasons.pending) {
    return { type: 'pending', response, settlement }
  }
  if (status === 402) {
    const required = Object(decodeX402(headers.get(x402Headers.required) ?? ''))
    return { type: 'refused', reason: reasonOf(settlement?.errorReason ?? required.error) }
  }
  // Another transfer or authorization has paid the intent, or it has ended.
  if (status === 409 && text !== '') return { type: 'refused', reason: x402Reasons.intent_ended }
  return null
}

function reasonOf(reason: unknown): string {
  return typeof reason === 'string' ? reason : x402Reasons.unknown
}
