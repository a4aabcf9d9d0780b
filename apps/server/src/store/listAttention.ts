import type { AttentionType } from '@payment-intents/contract'
import {
  type Actor,
  type AttentionFilter,
  type AttentionItem,
  type AttentionObject,
  alertWindows,
  type ListedTransfer,
  type Page,
} from '@payment-intents/core'
import { timeOf } from './attention/attention.ts'
import type { Queryable } from './connection/connect.ts'
import { timeOfId } from './lists/ids.ts'
import { toPage } from './lists/toPage.ts'
import { valuesOf } from './lists/values.ts'
import { findIntents } from './payment-intents/paymentIntents.ts'
import { findRefundsWithSource } from './refunds/refunds.ts'
import { selectSuggestions } from './transfers/suggestions.ts'
import { transferColumns } from './transfers/transfers.ts'
import { listEndpoints } from './webhook-endpoints/webhookEndpoints.ts'

type Row = { readonly id: string; readonly type: AttentionType; readonly since: number }

/** Lists a merchant's items that need a decision, newest first. */
export async function listAttention(
  db: Queryable,
  actor: Actor,
  filter: AttentionFilter,
): Promise<Page<AttentionItem>> {
  const rows = await findRows(db, actor, filter)
  const page = toPage(rows, filter.limit, (row) => row)
  const objects = await findObjects(db, actor, page.items)
  const items = page.items.flatMap((row): AttentionItem[] => {
    const object = objects.get(row.id)
    // Skip an object that was deleted meanwhile.
    return object ? [{ ...row, object }] : []
  })
  return { items, hasMore: page.hasMore }
}

/** Finds one row more than the page has. */
async function findRows(
  db: Queryable,
  { merchantId, mode }: Actor,
  { limit, startingAfter, type }: AttentionFilter,
): Promise<Row[]> {
  const { values, value } = valuesOf()
  const ownerValues = [value(merchantId), value(mode)]
  const before = startingAfter
    ? [timeOf(`${value(startingAfter.since)}::bigint`), value(startingAfter.id)]
    : [`timestamptz 'infinity'`, `''`]
  const pageSize = value(limit + 1)
  const parts: string[] = []
  if (type !== 'webhook_endpoint_failing') {
    const keys = ['merchant_id', 'mode', ...(type === null ? [] : ['type'])]
    const range = [...ownerValues, ...(type === null ? [] : [value(type)])]
    const order = [...keys, 'since', 'object_id']
    // Compare whole rows, since only the index of these columns has their order.
    parts.push(`
      select object_id, type, since from attention
      where (${order}) < (${[...range, ...before]}) and (${keys}) >= (${range})
      order by ${order.map((column) => `${column} desc`)} limit ${pageSize}`)
  }
  if (type === null || type === 'webhook_endpoint_failing') {
    // The database's clock dates failures, to the microsecond; cursors have milliseconds.
    const since = `date_trunc('milliseconds', failing_since)`
    parts.push(`
      select id, 'webhook_endpoint_failing', ${since} from webhook_endpoints
      where merchant_id = ${ownerValues[0]} and mode = ${ownerValues[1]} and disabled_reason is null
        and failing_since <= now() - make_interval(secs => ${alertWindows.endpointFailing / 1_000})
        and (${since}, id) < (${before})`)
  }
  // Without a name, so that PostgreSQL plans the statement for the current filter.
  const { rows } = await db.query<Row>(
    `select id, type, floor(extract(epoch from since) * 1000)::float8 as since
     from (${parts.map((part) => `(${part})`).join(' union all ')}) found (id, type, since)
     order by found.since desc, id desc limit ${pageSize}`,
    values,
  )
  return rows
}

/** The objects of the rows, by their ids. */
async function findObjects(
  db: Queryable,
  actor: Actor,
  rows: readonly Row[],
): Promise<Map<string, AttentionObject>> {
  const idsOf = (noun: string) =>
    rows.filter(({ type }) => type.startsWith(noun)).map(({ id }) => id)
  const objects = new Map<string, AttentionObject>()
  for (const transfer of await findTransfers(db, idsOf('transfer_'))) {
    objects.set(transfer.id, { noun: 'transfer', transfer })
  }
  for (const intent of await findIntentsOf(db, idsOf('payment_intent_'))) {
    objects.set(intent.id, { noun: 'payment_intent', intent })
  }
  for (const stored of await findRefundsWithSource(db, idsOf('refund_'))) {
    objects.set(stored.refund.id, { noun: 'refund', ...stored })
  }
  if (idsOf('webhook_endpoint_').length > 0) {
    for (const endpoint of await listEndpoints(db, actor)) {
      objects.set(endpoint.id, { noun: 'webhook_endpoint', endpoint })
    }
  }
  return objects
}

async function findIntentsOf(db: Queryable, ids: readonly string[]) {
  if (ids.length === 0) return []
  return [...(await findIntents(db, ids)).values()].map(({ value }) => value)
}

async function findTransfers(db: Queryable, ids: readonly string[]): Promise<ListedTransfer[]> {
  if (ids.length === 0) return []
  const { rows } = await db.query<Omit<ListedTransfer, 'seenAt'>>({
    name: 'find-transfers',
    text: `
      select ${transferColumns}, t.bound_by as "boundBy", t.reason, ${selectSuggestions}
      from transfers t where t.id = any ($1)`,
    values: [ids],
  })
  return rows.map((row) => ({ ...row, seenAt: timeOfId(row.id) }))
}
