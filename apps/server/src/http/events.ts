import { limits, listEventsSchema } from '@payment-intents/contract'
import type { FastifyInstance } from 'fastify'
import { findEvent, listEvents } from '../db/listEvents.ts'
import { presentEvent } from '../db/storedEvent.ts'
import { bearerOnly } from './authenticate.ts'
import type { HttpContext } from './context.ts'
import { invalidBody, notFound } from './errors.ts'
import { type ObjectRoute, objectId } from './objectId.ts'
import { parseQuery, readQuery } from './query.ts'
import { sendJson, sendPage } from './send.ts'

/** How far back a list without a cursor begins. */
const historyMs = 30 * 24 * 60 * 60 * 1000

export function eventRoutes(app: FastifyInstance, context: HttpContext): void {
  const { db, now } = context
  const { options, actorOf } = bearerOnly(context)

  app.get('/v1/events', options, async (request, reply) => {
    const query = parseQuery(listEventsSchema, readQuery(request))
    const page = await listEvents(db, actorOf(request), {
      limit: query.limit ?? limits.pageSize.default,
      startingAfter: query.starting_after ?? null,
      since: now() - historyMs,
      type: query.type ?? null,
      intentId: query.payment_intent ?? null,
    })
    if (page === 'unknown_cursor') {
      throw invalidBody([
        { path: 'starting_after', message: 'is no event of this merchant and mode' },
      ])
    }
    return sendPage(reply, page, presentEvent)
  })

  app.get<ObjectRoute>('/v1/events/:id', options, async (request, reply) => {
    const event = await findEvent(db.pool, actorOf(request), objectId(request, 'event'))
    if (!event) throw notFound('event')
    return sendJson(reply, presentEvent(event))
  })
}
