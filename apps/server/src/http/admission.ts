import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from './context.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whose share of the server the handler takes from. */
    merchantOf?: (request: FastifyRequest) => { readonly id: string }
  }
}

/**
 * Has the handlers of all routes that are registered from now on, where a merchant is known, run within that merchant's
 * share: whatever one of them sends, there are connections left for the others.
 */
export function admitByMerchant(app: FastifyInstance, { gate }: Pick<HttpContext, 'gate'>): void {
  app.addHook('onRoute', (route) => {
    const { merchantOf } = route.config ?? {}
    if (!merchantOf) return
    const { handler } = route
    route.handler = function (request, reply) {
      return gate(merchantOf(request).id, async () => handler.call(this, request, reply))
    }
  })
}
