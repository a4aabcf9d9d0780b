import { x402PaymentOf } from '@payment-intents/contract'
import { createSeller } from './createSeller.ts'
import type { PaymentRequiredOptions, PaymentTerms } from './terms.ts'

/** The part of Hono's context that is used. */
type HonoContext = {
  readonly req: { readonly raw: Request }
  header(name: string, value: string): void
}

/**
 * Creates a Hono middleware that sells each call of a route by x402, in USDC. It responds 402 to a request without a
 * payment, and passes on a request with a payment once the payment is in a block.
 *
 * @throws PaymentIntentsError `invalid_body` when the terms or the options are wrong
 * @example
 * ```ts
 * import { paymentRequired } from '@payment-intents/node/hono'
 * import { Hono } from 'hono'
 *
 * const wallet = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'
 * const app = new Hono()
 * app.get('/weather', paymentRequired({ price: '0.01', wallet }), (context) => {
 *   return context.json({ sky: 'clear' })
 * })
 * ```
 */
export function paymentRequired(
  terms: PaymentTerms,
  options: PaymentRequiredOptions = {},
): (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined> {
  const sell = createSeller(terms, options)
  return async (context, next) => {
    const { raw } = context.req
    const signature = x402PaymentOf((name) => raw.headers.get(name))
    const sold = await sell({ url: raw.url, signature, disconnected: raw.signal })
    if (sold.type === 'responded') {
      return new Response(sold.body, { status: sold.status, headers: sold.headers })
    }
    // Set before the route responds, so that the route's own headers take precedence.
    for (const [name, value] of Object.entries(sold.headers)) context.header(name, value)
    await next()
    return undefined
  }
}
