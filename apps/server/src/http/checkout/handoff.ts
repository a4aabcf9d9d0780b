import { handOffPaymentIntent, type Service } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../transport/httpContext.ts'
import { publicEndpoint } from '../transport/publicEndpoint.ts'

export function handoffRoute(app: FastifyInstance, context: HttpContext, service: Service): void {
  publicEndpoint(app, context, 'handOffPaymentIntent', context.resolveLimit, ({ id, body }) =>
    handOffPaymentIntent(service, id, body),
  )
}
