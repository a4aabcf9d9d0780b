import { x402PaymentOf } from '@payment-intents/contract'
import { createSeller } from './createSeller.ts'
import { type Connection, disconnectSignal, type NodeHeaders, textOf } from './nodeRequest.ts'
import type { PaymentRequiredOptions, PaymentTerms } from './terms.ts'

/** The part of Fastify's request that is used. */
type FastifyRequest = {
  readonly headers: NodeHeaders
  readonly protocol: string
  readonly originalUrl: string
}

/** The part of Fastify's reply that is used. */
type FastifyReply = {
  readonly raw: Connection
  code(status: number): unknown
  headers(headers: Record<string, string>): unknown
  send(body: string): unknown
}

/**
 * Creates a Fastify hook that sells each call of a route by x402, in USDC. It responds 402 to a request without a
 * payment, and passes on a request with a payment once the payment is in a block.
 *
 * @throws PaymentIntentsError `invalid_body` when the terms or the options are wrong
 * @example
 * ```ts
 * import { paymentRequired } from '@payment-intents/node/fastify'
 * import fastify from 'fastify'
 *
 * const wallet = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'
 * const app = fastify()
 * app.get('/weather', { onRequest: paymentRequired({ price: '0.01', wallet }) }, async () => {
 *   return { sky: 'clear' }
 * })
 * ```
 */
export function paymentRequired(
  terms: PaymentTerms,
  options: PaymentRequiredOptions = {},
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  const sell = createSeller(terms, options)
  return async ({ headers, protocol, originalUrl }, reply) => {
    const sold = await sell({
      url: `${protocol}://${textOf(headers.host)}${originalUrl}`,
      signature: x402PaymentOf((name) => textOf(headers[name])),
      disconnected: disconnectSignal(reply.raw),
    })
    reply.headers({ ...sold.headers })
    if (sold.type === 'paid') return
    reply.code(sold.status)
    return reply.send(sold.body)
  }
}
