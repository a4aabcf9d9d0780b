import { createSeller } from './createSeller.ts'
import { sellTo } from './sellTo.ts'
import type { PaymentRequiredOptions, PaymentTerms } from './terms.ts'

/**
 * Creates a Next.js route handler that sells each call by x402, in USDC: a request without a payment is answered 402,
 * one with a payment by `answer`, once the payment is in a block. It works with any framework whose handlers take a
 * `Request` and return a `Response`.
 *
 * @throws PaymentIntentsError `invalid_body` when the terms are wrong
 * @example
 * ```ts
 * import { paymentRequired } from '@payment-intents/node/next'
 *
 * const wallet = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'
 * export const GET = paymentRequired({ price: '0.01', wallet }, () => {
 *   return Response.json({ sky: 'clear' })
 * })
 * ```
 */
export function paymentRequired<Rest extends unknown[]>(
  terms: PaymentTerms,
  answer: (request: Request, ...rest: Rest) => Response | Promise<Response>,
  options: PaymentRequiredOptions = {},
): (request: Request, ...rest: Rest) => Promise<Response> {
  const sell = createSeller(terms, options)
  return (request, ...rest) => sellTo(request, sell, async () => answer(request, ...rest))
}
