import type { Actor, Page, PaymentLink, PaymentLinkFilter } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'
import { listOf, mergeIndexScans } from '../lists/mergeIndexScans.ts'
import { rangeOf } from '../lists/searchSql.ts'
import { toPage } from '../lists/toPage.ts'
import { valuesOf } from '../lists/values.ts'
import { selectLink } from './paymentLinks.ts'

/** Lists a merchant's payment links, newest first. */
export async function listPaymentLinks(
  db: Queryable,
  actor: Actor,
  filter: PaymentLinkFilter,
): Promise<Page<PaymentLink>> {
  const { values, value } = valuesOf()
  const activeValues = filter.active === null ? [true, false] : [filter.active]
  const links = listOf(
    'payment_links',
    'id',
    [
      ['merchant_id', value(actor.merchantId)],
      ['mode', value(actor.mode)],
      ['active', 'in_active'],
    ],
    `unnest(${value(activeValues)}::boolean[]) in_active`,
  )
  // Without a name, so that PostgreSQL plans the statement for the current filters.
  const { rows } = await db.query<PaymentLink>(
    `${mergeIndexScans([links], rangeOf('plink', filter, value))}
     ${selectLink} where l.id = any (array(select id from listed)) order by l.id desc`,
    values,
  )
  return toPage(rows, filter.limit, (link) => link)
}
