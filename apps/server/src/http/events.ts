import { limits, windows } from '@payment-intents/contract'
import { invalidBody, notFound } from '@payment-intents/rules'
import type { FastifyInstance } from 'fastify'
import { findEvent, listEvents } from '../db/events/listEvents.ts'
import { presentEvent } from '../db/events/storedEvent.ts'
import type { HttpContext } from './context.ts'
import { pageText } from './send.ts'
import { serve } from './serve.ts'

export function eventRoutes(app: FastifyInstance, context: HttpContext): void {
  const { db, now } = context

  serve(app, context, 'listEvents', async ({ actor, query }) => {
    const page = await listEvents(db, actor, {
      limit: query.limit ?? limits.pageSize.default,
      startingAfter: query.starting_after ?? null,
      since: now() - windows.history * 1_000,
      type: query.type ?? null,
      intentId: query.payment_intent ?? null,
    })
    if (page === 'unknown_cursor') {
      throw invalidBody([
        {
          path: 'starting_after',
          message:
            'is no event of this merchant and mode, or none that is kept any more: begin without it',
        },
      ])
    }
    return pageText(page, presentEvent)
  })

  serve(app, context, 'retrieveEvent', async ({ actor, id }) => {
    const event = await findEvent(db.pool, actor, id)
    if (!event) throw notFound('event')
    return presentEvent(event)
  })
}
