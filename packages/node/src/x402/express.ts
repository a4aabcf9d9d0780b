import { x402PaymentOf } from '@payment-intents/contract'
import { createSeller } from './createSeller.ts'
import { type Connection, disconnectSignal, type NodeHeaders, textOf } from './nodeRequest.ts'
import type { PaymentRequiredOptions, PaymentTerms } from './terms.ts'

/** The part of Node's `IncomingMessage` that is used, and the properties that Express adds. */
type NodeRequest = {
  readonly headers: NodeHeaders
  readonly url?: string | undefined
  readonly originalUrl?: string
  readonly protocol?: string
}

/** The part of Node's `ServerResponse` that is used. */
type NodeResponse = Connection & {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(body: string): unknown
}

/**
 * Creates an Express middleware that sells each call of a route by x402, in USDC. It responds 402 to a request without
 * a payment, and passes on a request with a payment once the payment is in a block. It works with any framework that
 * passes Node's own request and response.
 *
 * @throws PaymentIntentsError `invalid_body` when the terms or the options are wrong
 * @example
 * ```ts
 * import { paymentRequired } from '@payment-intents/node/express'
 * import express from 'express'
 *
 * const wallet = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'
 * const app = express()
 * app.get('/weather', paymentRequired({ price: '0.01', wallet }), (_request, response) => {
 *   response.json({ sky: 'clear' })
 * })
 * ```
 */
export function paymentRequired(
  terms: PaymentTerms,
  options: PaymentRequiredOptions = {},
): (request: NodeRequest, response: NodeResponse, next: () => unknown) => Promise<void> {
  const sell = createSeller(terms, options)
  return async (request, response, next) => {
    const { originalUrl, url = '/', protocol = 'http' } = request
    const sold = await sell({
      url: `${protocol}://${textOf(request.headers.host)}${originalUrl ?? url}`,
      signature: x402PaymentOf((name) => textOf(request.headers[name])),
      disconnected: disconnectSignal(response),
    })
    for (const [name, value] of Object.entries(sold.headers)) response.setHeader(name, value)
    if (sold.type === 'paid') {
      next()
      return
    }
    response.statusCode = sold.status
    response.end(sold.body)
  }
}
