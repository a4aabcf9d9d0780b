import { createHash } from 'node:crypto'
import { errorTable, x402Headers } from '@payment-intents/contract'
import {
  type CheckoutIntent,
  HttpError,
  isPaid,
  noSuchX402Link,
  payByX402,
  rateLimited,
  requireX402Payment,
  type Service,
  type X402Waiter,
  x402AnyOrigin,
  x402Preflight,
  x402SellerRequest,
} from '@payment-intents/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readX402Token } from '../../lib/crypto/x402Token.ts'
import { createUntilNewer } from '../checkout/untilNewer.ts'
import { clientAddress } from '../limits/clientAddress.ts'
import { createRateLimit } from '../limits/rateLimit.ts'
import { allowAnyOrigin } from '../transport/cors.ts'
import { headerOf } from '../transport/headerOf.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { isOpenedByBrowser, sendX402Page } from './x402Page.ts'

/** A response waits at most this long for a payment to be in a block, as a resolve may. */
const patienceSeconds = 25
/** Each payment asks a provider of the chain. */
const fewerThanResolves = 6

type TokenRoute = { Params: { token: string } }

/**
 * Takes payments by x402 version 2: `GET` or `POST /x402/<token>` asks for one, and takes it when it comes with the
 * request. The answer to a payment waits until it is in a block or refused. Sent again, a payment is answered alike. A browser
 * gets a page.
 *
 * @see https://github.com/coinbase/x402/blob/main/specs/x402-specification-v2.md
 */
export function x402Route(app: FastifyInstance, context: HttpContext, service: Service): void {
  app.register(async (scope) => {
    // A body is ignored, in whatever form it comes.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null))
    routes(scope, context, service)
  })
}

function routes(app: FastifyInstance, context: HttpContext, service: Service): void {
  const { resolveLimit, stopping } = context
  const now = () => performance.now()
  const limit = createRateLimit({ ...resolveLimit, now })
  const max = Math.ceil(resolveLimit.max / fewerThanResolves)
  const limitPayments = createRateLimit({ ...resolveLimit, max, now })
  const limitAddress = createRateLimit({ ...context.addressLimit, now })
  const find = service.store.paymentIntents.findForCheckout
  const untilNewer = createUntilNewer(context, find)

  function waiterOf({ raw }: FastifyReply): X402Waiter {
    const giveUpAt = now() + patienceSeconds * 1_000
    return {
      countPayment: (id) => refuseBeyond(limitPayments.take(id)),
      async next({ id, version: after }) {
        const seconds = (giveUpAt - now()) / 1_000
        if (seconds <= 0 || stopping.aborted) return null
        const newer = await new Promise<CheckoutIntent | null>((resolve) => {
          untilNewer({ id, after, seconds }, raw, resolve)
        })
        return raw.destroyed ? null : newer
      },
      isGone: () => raw.destroyed,
    }
  }

  /** Its status and headers are those of the protocol, for a program that asks as a browser does. */
  function showPage(found: CheckoutIntent | null, request: FastifyRequest, reply: FastifyReply) {
    try {
      if (!found) throw noSuchX402Link()
      const { status, headers } = requireX402Payment(service, found)
      reply.status(status).headers(headers)
      const { intent, merchantName: merchant } = found
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
      const payment = headerOf(request, x402Headers.signature) || null
      // Not by address where the link is right: all payments for a seller's API come from the seller. Requests with the same
      // payment count together, so that copies of it with other secrets keep the buyer from nothing.
      refuseBeyond(
        id === null
          ? limitAddress.take(clientAddress(request))
          : limit.take(payment === null ? id : `${id} ${digest(payment)}`),
      )
      const stored = id === null ? null : await find(id)
      const found = stored && context.network(stored.intent.chainId) ? stored : null
      if (payment === null && isOpenedByBrowser(request)) return showPage(found, request, reply)
      if (!found) throw noSuchX402Link()
      const sellerRequest = x402SellerRequest(headerOf(request, 'payment-claim') || null)
      const response =
        payment === null
          ? requireX402Payment(service, found)
          : await payByX402(service, found, { payment, sellerRequest }, waiterOf(reply))
      if (response.authorized) {
        const { from, value } = response.authorized
        request.log.info({ payment_intent: id, from, amount_units: value }, 'authorized')
      }
      reply.status(response.status).headers(response.headers)
      return response.body
    },
  })
}

function refuseBeyond(seconds: number): void {
  if (seconds > 0) throw rateLimited(seconds)
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
