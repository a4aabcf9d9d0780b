import { createHash } from 'node:crypto'
import { x402Headers } from '@payment-intents/contract'
import { noSuchX402Link, rateLimited, x402SellerRequest } from '@payment-intents/rules'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readX402Token } from '../secrets/x402Token.ts'
import { clientAddress } from './clientAddress.ts'
import type { HttpContext } from './context.ts'
import { allowAnyOrigin } from './cors.ts'
import { createRateLimit } from './rateLimit.ts'
import { createX402Payments } from './x402Payments.ts'

/** Each payment asks a provider of the chain. */
const fewerThanResolves = 6

type TokenRoute = { Params: { token: string } }

/**
 * Takes payments by x402 version 2: `GET` or `POST /x402/<token>` asks for one, and takes it when it comes with the
 * request. The answer to a payment waits until it is in a block or refused. Sent again, a payment is answered alike.
 *
 * @see https://github.com/coinbase/x402/blob/main/specs/x402-specification-v2.md
 */
export function x402Route(app: FastifyInstance, context: HttpContext): void {
  app.register(async (scope) => {
    // A body is ignored, in whatever form it comes.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null))
    routes(scope, context)
  })
}

function routes(app: FastifyInstance, context: HttpContext): void {
  const { resolveLimit } = context
  const now = () => performance.now()
  const limit = createRateLimit({ ...resolveLimit, now })
  const max = Math.ceil(resolveLimit.max / fewerThanResolves)
  const limitPayments = createRateLimit({ ...resolveLimit, max, now })
  const limitAddress = createRateLimit({ ...context.addressLimit, now })
  const { find, unpaid, pay } = createX402Payments(context, (id) =>
    refuseBeyond(limitPayments.take(id)),
  )

  app.options('/x402/:token', { onRequest: allowAnyOrigin }, async (_request, reply) => {
    reply
      .status(204)
      .header('access-control-allow-methods', 'GET, POST')
      // A client of x402 sends the second with its payment.
      .header(
        'access-control-allow-headers',
        `${x402Headers.signature}, access-control-expose-headers, content-type, x-request-id`,
      )
      .header('access-control-max-age', '86400')
  })

  app.route<TokenRoute>({
    method: ['GET', 'POST'],
    url: '/x402/:token',
    onRequest: [
      allowAnyOrigin,
      async (_request, reply) => {
        reply
          .header('cache-control', 'no-store')
          .header(
            'access-control-expose-headers',
            `${x402Headers.required}, ${x402Headers.response}, X-Request-Id, Retry-After`,
          )
      },
    ],
    async handler(request, reply) {
      const id = readX402Token(request.params.token, context.serverKeys.all)
      const signature = headerOf(request, x402Headers.signature)
      // Not by address where the link is right: all payments for a seller's API come from the seller. Requests with the same
      // payment count together, so that copies of it with other secrets keep the buyer from nothing.
      refuseBeyond(
        id === null
          ? limitAddress.take(clientAddress(request))
          : limit.take(signature === null ? id : `${id} ${digest(signature)}`),
      )
      const found = id === null ? null : await find(id)
      if (!found || !context.network(found.intent.chainId)) throw noSuchX402Link()
      if (signature === null) return unpaid(found, reply)
      return pay(found, {
        signature,
        sellerRequest: x402SellerRequest(headerOf(request, 'payment-claim')),
        request,
        reply,
      })
    },
  })
}

function refuseBeyond(seconds: number): void {
  if (seconds > 0) throw rateLimited(seconds)
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

function headerOf({ headers }: FastifyRequest, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}
