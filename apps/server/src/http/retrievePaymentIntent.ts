import { notFound, presentInEvent } from '@payment-intents/rules'
import type { FastifyInstance } from 'fastify'
import { findOwnIntent } from '../db/intents/listPaymentIntents.ts'
import type { HttpContext } from './context.ts'
import { serve } from './serve.ts'

export function retrievePaymentIntentRoute(app: FastifyInstance, context: HttpContext): void {
  serve(app, context, 'retrievePaymentIntent', async ({ actor, id }) => {
    const intent = await findOwnIntent(context.db.pool, actor, id)
    if (!intent) throw notFound('payment intent')
    return presentInEvent(intent)
  })
}
