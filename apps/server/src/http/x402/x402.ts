import { createHash } from 'node:crypto'
import { errorTable, x402PaymentOf } from '@payment-intents/contract'
import {
  type CheckoutIntent,
  HttpError,
  isPaid,
  noSuchX402Link,
  payByX402,
  requireX402Payment,
  type Service,
  x402AnyOrigin,
  x402Preflight,
  x402SellerRequest,
} from '@payment-intents/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readX402Token } from '../../lib/crypto/x402Token.ts'
import { clientAddress } from '../limits/clientAddress.ts'
import { createRateLimit } from '../limits/rateLimit.ts'
import { allowAnyOrigin } from '../transport/cors.ts'
import { headerOf } from '../transport/headerOf.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { isOpenedByBrowser, sendX402Page } from './x402Page.ts'
import { createX402Waiters, refuseBeyond } from './x402Waiter.ts'

type TokenRoute = { Params: { token: string } }

/**
 * Accepts payments by x402 version 2. `GET` or `POST /x402/<token>` without a payment gets the terms; with a payment,
 * its response waits until the payment is in a block or refused. A repeated payment gets the same response. A browser
 * gets a page.
 * @see https://github.com/coinbase/x402/blob/main/specs/x402-specification-v2.md
 */
export function x402Route(app: FastifyInstance, context: HttpContext, service: Service): void {
  app.register(async (scope) => {
    // Any body is accepted and ignored.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null))
    routes(scope, context, service)
  })
}

function routes(app: FastifyInstance, context: HttpContext, service: Service): void {
  const now = () => performance.now()
  const limit = createRateLimit({ ...context.resolveLimit, now })
  const limitAddress = createRateLimit({ ...context.addressLimit, now })
  const find = service.store.paymentIntents.findForCheckout
  const waiterOf = createX402Waiters(context, find)

  /** The page keeps the protocol's status and headers: a program may send a browser's request headers. */
  function showPage(
    checkoutIntent: CheckoutIntent | null,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    try {
      if (!checkoutIntent) throw noSuchX402Link()
      const { status, headers } = requireX402Payment(service, checkoutIntent)
      reply.status(status).headers(headers)
      const { intent, merchantName: merchant } = checkoutIntent
      const state = isPaid(intent) ? 'paid' : 'open'
      return sendX402Page(request, reply, { state, units: intent.amount, merchant })
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      reply.status(errorTable[error.code].status).headers(error.headers)
      return sendX402Page(request, reply, { state: 'ended' })
    }
  }

  app.options('/x402/:token', { onRequest: allowAnyOrigin }, async (_request, reply) => {
    reply.status(204).headers(x402Preflight)
  })

  app.route<TokenRoute>({
    method: ['GET', 'POST'],
    url: '/x402/:token',
    onRequest: [
      allowAnyOrigin,
      async (_request, reply) => {
        reply.headers(x402AnyOrigin).header('vary', 'accept, accept-language')
      },
    ],
    async handler(request, reply) {
      const id = readX402Token(request.params.token, context.serverKeys.all)
      const payment = x402PaymentOf((name) => headerOf(request, name))
      // A valid link is not limited by address: all payments for a seller's API come from the seller. Each payment has
      // its own count, so that copies of it with other secrets do not exhaust the buyer's limit.
      refuseBeyond(
        id === null
          ? limitAddress.take(clientAddress(request))
          : limit.take(payment === null ? id : `${id} ${digest(payment)}`),
      )
      const stored = id === null ? null : await find(id)
      const checkoutIntent = stored && context.network(stored.intent.chainId) ? stored : null
      if (payment === null && isOpenedByBrowser(request))
        return showPage(checkoutIntent, request, reply)
      if (!checkoutIntent) throw noSuchX402Link()
      const sellerRequest = x402SellerRequest(headerOf(request, 'payment-claim') || null)
      const response =
        payment === null
          ? requireX402Payment(service, checkoutIntent)
          : await payByX402(service, checkoutIntent, { payment, sellerRequest }, waiterOf(reply))
      if (response.authorized) {
        const { from, value } = response.authorized
        request.log.info({ payment_intent: id, from, amount_units: value }, 'authorized')
      }
      reply.status(response.status).headers(response.headers)
      return response.body
    },
  })
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
