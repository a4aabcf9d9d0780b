import { authorizePaymentIntent, type Service } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../transport/httpContext.ts'
import { publicEndpoint } from '../transport/publicEndpoint.ts'

/** A body has a secret, a message, and a signature of at most 4 KiB in hexadecimal digits. */
const bodyLimit = 10 * 1024
/** Unlike a resolve, each request calls a provider of the chain. */
const fewerThanResolves = 6

export function authorizePaymentIntentRoute(
  app: FastifyInstance,
  context: HttpContext,
  service: Service,
): void {
  const { resolveLimit } = context
  const limit = { ...resolveLimit, max: Math.ceil(resolveLimit.max / fewerThanResolves) }
  const options = { bodyLimit, limit }
  const name = 'authorizePaymentIntent'
  publicEndpoint(app, context, name, options, async ({ id, body, request }) => {
    const authorized = await authorizePaymentIntent(service, id, body)
    if (authorized.isNew) {
      const { from, value } = body.authorization
      request.log.info({ payment_intent: id, from, amount_units: value }, 'authorized')
    }
    return authorized.body
  })
}
