import { x402PaymentOf } from '@payment-intents/contract'
import { createSeller } from './createSeller.ts'
import type { PaymentRequiredOptions, PaymentTerms } from './terms.ts'

/**
 * Creates a Next.js route handler that sells each call by x402, in USDC. It responds 402 to a request without a
 * payment, and passes a request with a payment to `handler` once the payment is in a block. It works with any framework
 * whose handlers take a `Request` and return a `Response`.
 *
 * @throws PaymentIntentsError `invalid_body` when the terms or the options are wrong
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
export function paymentRequired<Context extends unknown[]>(
  terms: PaymentTerms,
  handler: (request: Request, ...context: Context) => Response | Promise<Response>,
  options: PaymentRequiredOptions = {},
): (request: Request, ...context: Context) => Promise<Response> {
  const sell = createSeller(terms, options)
  return async (request, ...context) => {
    const signature = x402PaymentOf((name) => request.headers.get(name))
    const sold = await sell({ url: request.url, signature, disconnected: request.signal })
    if (sold.type === 'responded') {
      return new Response(sold.body, { status: sold.status, headers: sold.headers })
    }
    const { headers: handlerHeaders, status, statusText, body } = await handler(request, ...context)
    // A copy: the headers of a fetched response are immutable.
    return new Response(body, {
      status,
      statusText,
      headers: mergeHeaders(sold.headers, handlerHeaders),
    })
  }
}

function mergeHeaders(headers: Readonly<Record<string, string>>, handlerHeaders: Headers): Headers {
  const all = new Headers(handlerHeaders)
  for (const [name, value] of Object.entries(headers)) if (!all.has(name)) all.set(name, value)
  return all
}
