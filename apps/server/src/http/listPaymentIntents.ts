import { limits, listPaymentIntentsSchema } from '@payment-intents/contract'
import { presentInEvent } from '@payment-intents/rules'
import type { FastifyInstance } from 'fastify'
import { listIntents } from '../db/listPaymentIntents.ts'
import { bearerOnly } from './authenticate.ts'
import type { HttpContext } from './context.ts'
import { parseQuery, readQuery, takeNested } from './query.ts'
import { sendPage } from './send.ts'

export function listPaymentIntentsRoute(app: FastifyInstance, context: HttpContext): void {
  const { db } = context
  const { options, actorOf } = bearerOnly(context)
  app.get('/v1/payment_intents', options, async (request, reply) => {
    const given = readQuery(request)
    const metadata = takeNested(given, 'metadata')
    const nested = metadata.length > 0 ? { metadata: Object.fromEntries(metadata) } : {}
    const query = parseQuery(listPaymentIntentsSchema, given, nested)
    const page = await listIntents(db.pool, actorOf(request), {
      limit: query.limit ?? limits.pageSize.default,
      startingAfter: query.starting_after ?? null,
      status: query.status ?? null,
      chain: query.chain ?? null,
      metadata,
    })
    return sendPage(reply, page, presentInEvent)
  })
}
