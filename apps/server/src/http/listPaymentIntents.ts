import { presentInEvent } from '@payment-intents/rules'
import type { FastifyInstance } from 'fastify'
import { listIntents } from '../db/intents/listPaymentIntents.ts'
import type { HttpContext } from './context.ts'
import { readQuery, takeNested } from './query.ts'
import { readSearch } from './readSearch.ts'
import { pageText } from './send.ts'
import { serve } from './serve.ts'

export function listPaymentIntentsRoute(app: FastifyInstance, context: HttpContext): void {
  serve(app, context, 'listPaymentIntents', async ({ actor, query, request }) => {
    const page = await listIntents(context.db.pool, actor, {
      ...readSearch(query),
      status: query.status ?? null,
      chain: query.chain ?? null,
      // As it was sent: a schema drops keys such as `__proto__`.
      metadata: takeNested(readQuery(request), 'metadata'),
    })
    return pageText(page, presentInEvent)
  })
}
