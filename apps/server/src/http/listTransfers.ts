import { chainFactsOf, limits, listTransfersSchema } from '@payment-intents/contract'
import { presentTransfer } from '@payment-intents/rules'
import type { FastifyInstance } from 'fastify'
import { type ListedTransfer, listTransfers } from '../db/listTransfers.ts'
import { bearerOnly } from './authenticate.ts'
import type { HttpContext } from './context.ts'
import { parseQuery, readQuery } from './query.ts'
import { sendPage } from './send.ts'

export function listTransfersRoute(app: FastifyInstance, context: HttpContext): void {
  const { db } = context
  const { options, actorOf } = bearerOnly(context)
  app.get('/v1/transfers', options, async (request, reply) => {
    const query = parseQuery(listTransfersSchema, readQuery(request))
    const page = await listTransfers(db.pool, actorOf(request), {
      limit: query.limit ?? limits.pageSize.default,
      startingAfter: query.starting_after ?? null,
      intentId: query.payment_intent ?? null,
      matched: query.matched ?? null,
      chain: query.chain ?? null,
    })
    return sendPage(reply, page, present)
  })
}

function present(transfer: ListedTransfer): string {
  return JSON.stringify(presentTransfer(transfer, chainFactsOf(transfer.chainId)))
}
