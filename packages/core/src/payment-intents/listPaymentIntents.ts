import { toIntentAndTransferFilter } from '../lib/listFilter.ts'
import { presentPage } from '../lib/presentPage.ts'
import type { Handler } from '../service.ts'
import { presentInEvent } from './present.ts'

export const listPaymentIntents: Handler<'listPaymentIntents'> = async (
  { store },
  { actor, query, metadataFilter },
) => {
  const page = await store.paymentIntents.list(actor, {
    ...toIntentAndTransferFilter(query),
    status: query.status ?? null,
    chain: query.chain ?? null,
    paymentLink: query.payment_link ?? null,
    // As sent: a schema drops keys such as `__proto__`.
    metadata: metadataFilter,
  })
  return { body: presentPage(page, presentInEvent) }
}
