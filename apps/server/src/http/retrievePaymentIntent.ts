import { presentInEvent } from '@payment-intents/rules'
import type { FastifyInstance } from 'fastify'
import { findOwnIntent } from '../db/listPaymentIntents.ts'
import { bearerOnly } from './authenticate.ts'
import type { HttpContext } from './context.ts'
import { notFound } from './errors.ts'
import { type ObjectRoute, objectId } from './objectId.ts'
import { sendJson } from './send.ts'

export function retrievePaymentIntentRoute(app: FastifyInstance, context: HttpContext): void {
  const { db } = context
  const { options, actorOf } = bearerOnly(context)
  app.get<ObjectRoute>('/v1/payment_intents/:id', options, async (request, reply) => {
    const id = objectId(request, 'payment intent')
    const intent = await findOwnIntent(db.pool, actorOf(request), id)
    if (!intent) throw notFound('payment intent')
    return sendJson(reply, presentInEvent(intent))
  })
}
