import { openapi } from '@payment-intents/contract'
import type { FastifyInstance } from 'fastify'
import { allowAnyOrigin } from '../transport/cors.ts'
import type { HttpContext } from '../transport/httpContext.ts'

export function openapiRoute(app: FastifyInstance, context: HttpContext): void {
  let document: string | undefined
  app.get('/openapi.json', { onRequest: allowAnyOrigin }, async (_request, reply) => {
    reply.type('application/json; charset=utf-8')
    document ??= JSON.stringify(openapi({ baseUrl: context.publicUrl }))
    return document
  })
}
