import { confirmReceipt, type Service } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../transport/httpContext.ts'
import { publicEndpoint } from '../transport/publicEndpoint.ts'

/** A body has an id and a salt. */
const bodyLimit = 1_024

export function confirmReceiptRoute(
  app: FastifyInstance,
  context: HttpContext,
  service: Service,
): void {
  const options = { bodyLimit, limit: context.addressLimit }
  publicEndpoint(app, context, 'confirmReceipt', options, ({ body }) =>
    confirmReceipt(service, body),
  )
}
