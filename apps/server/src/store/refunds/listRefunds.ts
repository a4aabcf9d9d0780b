import { refundStatusSchema } from '@payment-intents/contract'
import type { Actor, Page, Refund, RefundFilter } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'
import { fewOf, type List, listOf, mergeIndexScans } from '../lists/mergeIndexScans.ts'
import { ofTransaction, rangeOf } from '../lists/searchSql.ts'
import { toPage } from '../lists/toPage.ts'
import { valuesOf } from '../lists/values.ts'
import { selectRefund, toRefund } from './refunds.ts'

/** Lists a merchant's refunds, newest first. */
export async function listRefunds(
  db: Queryable,
  actor: Actor,
  filter: RefundFilter,
): Promise<Page<Refund>> {
  const { values, value } = valuesOf()
  const owner = [
    ['merchant_id', value(actor.merchantId)],
    ['mode', value(actor.mode)],
  ] as const
  const { intentId, transferId, destination, from, amount, reference, txHash } = filter
  const columns = {
    intent_id: intentId,
    transfer_id: transferId,
    destination,
    from_address: from,
    amount_units: amount,
  }
  const lists: List[] = []
  for (const [column, text] of Object.entries(columns)) {
    if (text === null) continue
    lists.push(listOf('refunds', 'id', [...owner, [column, value(text)]]))
  }
  if (reference !== null) {
    lists.push(fewOf(`select id from refunds where refund_reference = ${value(reference)}`))
  }
  if (txHash !== null) {
    const isPart = `${ofTransaction(actor.mode, txHash, value)} and refund_id is not null`
    lists.push(fewOf(`select distinct refund_id from transfers where ${isPart}`))
  }
  if (filter.status !== null || lists.length === 0) {
    const statuses = filter.status === null ? refundStatusSchema.options : [filter.status]
    const inStatus = `unnest(${value(statuses)}::text[]) in_status`
    lists.push(listOf('refunds', 'id', [...owner, ['status', 'in_status']], inStatus))
  }
  const isOwner = owner.map(([column, value]) => `r.${column} = ${value}`).join(' and ')
  // Without a name, so that PostgreSQL plans the statement for the current filters.
  const { rows } = await db.query<Parameters<typeof toRefund>[0]>(
    `${mergeIndexScans(lists, rangeOf('re', filter, value))}
     ${selectRefund} where r.id = any (array(select id from listed)) and ${isOwner}
     order by r.id desc`,
    values,
  )
  return toPage(rows, filter.limit, toRefund)
}
