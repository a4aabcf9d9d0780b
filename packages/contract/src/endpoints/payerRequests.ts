import { limits } from '../schemas/paymentIntent.ts'

/** The limit of requests that name one payment intent, as a sentence. */
export function payerRequests(max: 'max' | 'chainMax'): string {
  const { seconds, [max]: count } = limits.payerRequests
  return `At most ${count} requests in ${seconds} s for one payment intent; more get 429, as do those of one client address beyond the operator's limit.`
}
