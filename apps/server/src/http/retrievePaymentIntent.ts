import { notFound, presentInEvent, withLinks } from '@payment-intents/rules'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from './context.ts'
import { linksOf } from './links.ts'
import { createOwnIntents } from './ownIntents.ts'
import { serveUnshared } from './serve.ts'

export function retrievePaymentIntentRoute(app: FastifyInstance, context: HttpContext): void {
  const find = createOwnIntents(context)
  // It needs no share: all merchants together read with one connection.
  serveUnshared(app, context, 'retrievePaymentIntent', async ({ actor, id }) => {
    const intent = await find(actor, id)
    if (!intent) throw notFound('payment intent')
    return withLinks(presentInEvent(intent), linksOf(context, intent, context.serverKeys.current()))
  })
}
