import { nameRefundDestination, resolveRefund, type Service } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import { chainLimit } from '../limits/chainLimit.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { publicEndpoint } from '../transport/publicEndpoint.ts'

/** The endpoints of the page on which a payer names the destination of a refund. */
export function refundPageEndpoints(
  app: FastifyInstance,
  context: HttpContext,
  service: Service,
): void {
  const limit = context.resolveLimit
  publicEndpoint(app, context, 'resolveRefund', limit, ({ id, body }) =>
    resolveRefund(service, id, body),
  )
  // Each request may write an event, and may call a provider of the chain.
  publicEndpoint(app, context, 'nameRefundDestination', chainLimit(limit), ({ id, body }) =>
    nameRefundDestination(service, id, body),
  )
}
