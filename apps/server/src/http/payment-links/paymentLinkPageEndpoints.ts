import { createHmac } from 'node:crypto'
import { payPaymentLink, resolvePaymentLink, type Service } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import { clientAddress } from '../limits/clientAddress.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { publicEndpoint } from '../transport/publicEndpoint.ts'

export function paymentLinkPageEndpoints(
  app: FastifyInstance,
  context: HttpContext,
  service: Service,
): void {
  const limit = context.resolveLimit
  publicEndpoint(app, context, 'resolvePaymentLink', limit, ({ body }) =>
    resolvePaymentLink(service, body),
  )
  publicEndpoint(app, context, 'payPaymentLink', limit, ({ body, request }) => {
    const { clientAddresses } = context.serverKeys.current()
    const client = createHmac('sha256', clientAddresses).update(clientAddress(request))
    return payPaymentLink(service, body, client.digest('hex'))
  })
}
