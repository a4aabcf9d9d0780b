import { limits } from '@payment-intents/contract'
import { filterTime } from '../lib/listFilter.ts'
import { presentPage } from '../lib/presentPage.ts'
import type { Handler } from '../service.ts'
import { presentPaymentLink } from './presentPaymentLink.ts'

export const listPaymentLinks: Handler<'listPaymentLinks'> = async (
  { store, publicUrl },
  { actor, query },
) => {
  const page = await store.paymentLinks.list(actor, {
    limit: query.limit ?? limits.pageSize.default,
    startingAfter: query.starting_after ?? null,
    active: query.active ?? null,
    createdAfter: filterTime(query.created_after),
    createdBefore: filterTime(query.created_before),
  })
  return { body: presentPage(page, (link) => presentPaymentLink(link, publicUrl)) }
}
