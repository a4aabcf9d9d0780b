import { nameRefundDestination, resolveRefund, type Service } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../transport/httpContext.ts'
import { publicEndpoint } from '../transport/publicEndpoint.ts'

/** A body has a token, a message, and a signature of at most 4 KiB in hexadecimal digits. */
const bodyLimit = 12 * 1024
/** Each request may write an event, and may call a provider of the chain. */
const fewerThanResolves = 6

/** The endpoints of the page that a refund's payer opens. */
export function refundPageEndpoints(
  app: FastifyInstance,
  context: HttpContext,
  service: Service,
): void {
  const limit = context.resolveLimit
  publicEndpoint(app, context, 'resolveRefund', { bodyLimit, limit }, ({ id, body }) =>
    resolveRefund(service, id, body),
  )
  const fewer = { ...limit, max: Math.ceil(limit.max / fewerThanResolves) }
  const options = { bodyLimit, limit: fewer }
  publicEndpoint(app, context, 'nameRefundDestination', options, ({ id, body }) =>
    nameRefundDestination(service, id, body),
  )
}
