import { chainFactsOf } from '@payment-intents/contract'
import { toIntentAndTransferFilter } from '../lib/listFilter.ts'
import { presentPage } from '../lib/presentPage.ts'
import type { Handler } from '../service.ts'
import { presentTransfer } from './presentTransfer.ts'
import type { ListedTransfer } from './store.ts'

export const listTransfers: Handler<'listTransfers'> = async ({ store }, { actor, query }) => {
  const page = await store.transfers.list(actor, {
    ...toIntentAndTransferFilter(query),
    intentId: query.payment_intent ?? null,
    matched: query.matched ?? null,
    chain: query.chain ?? null,
  })
  return { body: presentPage(page, present) }
}

function present(transfer: ListedTransfer): string {
  return JSON.stringify(presentTransfer(transfer, chainFactsOf(transfer.chainId)))
}
