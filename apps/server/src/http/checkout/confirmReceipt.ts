import { confirmReceipt, type Service } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../transport/httpContext.ts'
import { publicEndpoint } from '../transport/publicEndpoint.ts'

export function confirmReceiptRoute(
  app: FastifyInstance,
  context: HttpContext,
  service: Service,
): void {
  publicEndpoint(app, context, 'confirmReceipt', context.addressLimit, ({ body }) =>
    confirmReceipt(service, body),
  )
}
