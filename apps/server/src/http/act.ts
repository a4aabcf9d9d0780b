import { assignTransferSchema } from '@payment-intents/contract'
import { presentInEvent } from '@payment-intents/rules'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { type Acted, acceptIntent, assignTransfer, cancelIntent } from '../db/act.ts'
import { bearerOnly } from './authenticate.ts'
import { parseBody } from './body.ts'
import type { HttpContext } from './context.ts'
import { conflict, notFound } from './errors.ts'
import { type ObjectRoute, objectId } from './objectId.ts'
import { sendJson } from './send.ts'

/**
 * What a merchant does to an intent. Each is idempotent by nature, so an `Idempotency-Key` is not looked at:
 * done again, it is answered with the intent as it stands.
 */
export function actRoutes(app: FastifyInstance, context: HttpContext): void {
  const { db, now } = context
  const { options, actorOf } = bearerOnly(context)

  app.post<ObjectRoute>('/v1/payment_intents/:id/cancel', options, async (request, reply) => {
    parseBody(nothing, request.body, 'allowed')
    const id = objectId(request, 'payment intent')
    return answer(reply, 'payment intent', await cancelIntent(db, actorOf(request), id, now()))
  })

  app.post<ObjectRoute>('/v1/payment_intents/:id/accept', options, async (request, reply) => {
    parseBody(nothing, request.body, 'allowed')
    const id = objectId(request, 'payment intent')
    return answer(reply, 'payment intent', await acceptIntent(db, actorOf(request), id, now()))
  })

  app.post<ObjectRoute>('/v1/transfers/:id/assign', options, async (request, reply) => {
    const { payment_intent: intentId } = parseBody(assignTransferSchema, request.body)
    const id = objectId(request, 'transfer')
    const acted = await assignTransfer(db, actorOf(request), id, intentId, now())
    return answer(reply, 'transfer or payment intent', acted)
  })
}

const nothing = z.strictObject({})

function answer(reply: FastifyReply, noun: Parameters<typeof notFound>[0], acted: Acted): string {
  switch (acted.type) {
    case 'done':
      return sendJson(reply, presentInEvent(acted.intent))
    case 'not_found':
      throw notFound(noun)
    case 'refused':
      throw conflict('illegal_state', acted.message)
  }
}
