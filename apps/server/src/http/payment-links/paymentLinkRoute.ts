import { x402PaymentOf } from '@payment-intents/contract'
import {
  findForPayer,
  payLinkByX402,
  requireLinkPayment,
  type Service,
  x402AnyOrigin,
  x402Preflight,
  x402SellerRequest,
} from '@payment-intents/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientAddress } from '../limits/clientAddress.ts'
import { createRateLimit } from '../limits/rateLimit.ts'
import { allowAnyOrigin } from '../transport/cors.ts'
import { headerOf } from '../transport/headerOf.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { isOpenedByBrowser } from '../x402/x402Page.ts'
import { createX402Waiters, refuseBeyond } from '../x402/x402Waiter.ts'

type LinkRoute = { Params: { id: string } }
type ShowPage = (request: FastifyRequest, reply: FastifyReply) => unknown

/**
 * Serves `/l/<id>` of a payment link: its page to browsers, and x402 version 2 to programs, as `/x402/<token>` does for
 * an intent.
 */
export function paymentLinkRoute(
  app: FastifyInstance,
  context: HttpContext,
  { service, showPage }: { service: Service; showPage: ShowPage },
): void {
  app.register(async (scope) => {
    // Any body is accepted and ignored.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null))
    routes(scope, context, { service, showPage })
  })
}

function routes(
  app: FastifyInstance,
  context: HttpContext,
  { service, showPage }: { service: Service; showPage: ShowPage },
): void {
  const limit = createRateLimit({ ...context.addressLimit, now: () => performance.now() })
  const waiterOf = createX402Waiters(context, service.store.paymentIntents.findForCheckout)

  app.options('/l/:id', { onRequest: allowAnyOrigin }, async (_request, reply) => {
    reply.status(204).headers(x402Preflight)
  })

  app.route<LinkRoute>({
    method: ['GET', 'POST'],
    url: '/l/:id',
    async handler(request, reply) {
      reply.header('vary', 'accept, accept-language')
      refuseBeyond(limit.take(clientAddress(request)))
      const payment = x402PaymentOf((name) => headerOf(request, name))
      if (payment === null && isOpenedByBrowser(request)) return showPage(request, reply)
      reply.headers(x402AnyOrigin)
      const opened = await findForPayer(service, request.params)
      const sellerRequest = x402SellerRequest(headerOf(request, 'payment-claim') || null)
      const { status, headers, body, authorized } =
        payment === null
          ? requireLinkPayment(service, opened)
          : await payLinkByX402(service, opened, { payment, sellerRequest }, waiterOf(reply))
      if (authorized) {
        const fields = { payment_link: opened.link.id, from: authorized.from }
        request.log.info({ ...fields, amount_units: authorized.value }, 'authorized')
      }
      reply.status(status).headers(headers)
      return body
    },
  })
}
