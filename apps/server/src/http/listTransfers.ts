import { chainFactsOf } from '@payment-intents/contract'
import { presentTransfer } from '@payment-intents/rules'
import type { FastifyInstance } from 'fastify'
import { type ListedTransfer, listTransfers } from '../db/transfers/listTransfers.ts'
import type { HttpContext } from './context.ts'
import { readSearch } from './readSearch.ts'
import { pageText } from './send.ts'
import { serve } from './serve.ts'

export function listTransfersRoute(app: FastifyInstance, context: HttpContext): void {
  serve(app, context, 'listTransfers', async ({ actor, query }) => {
    const page = await listTransfers(context.db.pool, actor, {
      ...readSearch(query),
      intentId: query.payment_intent ?? null,
      matched: query.matched ?? null,
      chain: query.chain ?? null,
    })
    return pageText(page, present)
  })
}

function present(transfer: ListedTransfer): string {
  return JSON.stringify(presentTransfer(transfer, chainFactsOf(transfer.chainId)))
}
