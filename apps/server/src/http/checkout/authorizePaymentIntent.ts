import { authorizePaymentIntent, type Service } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import { chainLimit } from '../limits/chainLimit.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { publicEndpoint } from '../transport/publicEndpoint.ts'

export function authorizePaymentIntentRoute(
  app: FastifyInstance,
  context: HttpContext,
  service: Service,
): void {
  const limit = chainLimit(context.resolveLimit)
  const name = 'authorizePaymentIntent'
  publicEndpoint(app, context, name, limit, async ({ id, body, request }) => {
    const authorized = await authorizePaymentIntent(service, id, body)
    if (authorized.isNew) {
      const { from, value } = body.authorization
      request.log.info({ payment_intent: id, from, amount_units: value }, 'authorized')
    }
    return authorized.body
  })
}
