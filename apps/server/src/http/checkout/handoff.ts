import { handOffPaymentIntent, type Service } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../transport/httpContext.ts'
import { publicEndpoint } from '../transport/publicEndpoint.ts'

/** A body has a secret and a URL. */
const bodyLimit = 4_096

export function handoffRoute(app: FastifyInstance, context: HttpContext, service: Service): void {
  const options = { bodyLimit, limit: context.resolveLimit }
  publicEndpoint(app, context, 'handOffPaymentIntent', options, ({ id, body }) =>
    handOffPaymentIntent(service, id, body),
  )
}
