import { type Address, limits } from '@payment-intents/contract'
import { filterTime } from '../lib/listFilter.ts'
import { presentPage } from '../lib/presentPage.ts'
import type { Handler } from '../service.ts'
import { presentInRefundEvent } from './presentRefund.ts'

export const listRefunds: Handler<'listRefunds'> = async ({ store }, { actor, query }) => {
  const lower = (text: string | undefined) => text?.toLowerCase() ?? null
  const page = await store.refunds.list(actor, {
    limit: query.limit ?? limits.pageSize.default,
    startingAfter: query.starting_after ?? null,
    intentId: query.payment_intent ?? null,
    transferId: query.transfer ?? null,
    status: query.status ?? null,
    txHash: lower(query.tx_hash),
    destination: lower(query.destination) as Address | null,
    from: lower(query.from) as Address | null,
    reference: lower(query.reference),
    amount: query.amount_units ?? null,
    createdAfter: filterTime(query.created_after),
    createdBefore: filterTime(query.created_before),
  })
  return { body: presentPage(page, presentInRefundEvent) }
}
