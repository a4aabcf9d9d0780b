import { chainFacts } from '@payment-intents/contract'
import type { Actor, ListedTransfer, Page, TransferFilter } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'
import { timeOfId } from '../lists/ids.ts'
import { fewOf, type List, listOf, mergeIndexScans } from '../lists/mergeIndexScans.ts'
import { chainIdsOf, ofTransaction, rangeOf } from '../lists/searchSql.ts'
import { toPage } from '../lists/toPage.ts'
import { valuesOf } from '../lists/values.ts'
import { selectSuggestions } from './suggestions.ts'
import { transferColumns } from './transfers.ts'

/** Lists transfers to a merchant's wallets, latest seen first. */
export async function listTransfers(
  db: Queryable,
  actor: Actor,
  filter: TransferFilter,
): Promise<Page<ListedTransfer>> {
  const { values, value } = valuesOf()
  const [merchantId, mode] = [value(actor.merchantId), value(actor.mode)]
  const chain = filter.chain && chainFacts(actor.mode, filter.chain).chainId
  const chainIds = () => value(chain === null ? chainIdsOf(actor.mode) : [chain])
  const owner = [
    ['merchant_id', merchantId],
    ['mode', mode],
  ] as const
  const { intentId, reference, matched, txHash, payer, wallet, amount } = filter
  const isOfIntent = intentId !== null || reference !== null
  if (isOfIntent && matched === false) return { items: [], hasMore: false }
  const outcomes = matched === null ? [true, false] : [matched]
  const inMatched = () => `unnest(${value(outcomes)}::boolean[]) in_matched`
  const isMatched = ['(intent_id is not null)', 'in_matched'] as const
  const lists: List[] = []
  for (const [column, text] of Object.entries({ sender: payer, wallet, amount_units: amount })) {
    if (text === null) continue
    const conditions = [...owner, [column, value(text)] as const, isMatched]
    lists.push(listOf('transfers', 'id', conditions, inMatched()))
  }
  if (intentId !== null) lists.push(ofIntent('id', value(intentId), chainIds()))
  if (reference !== null) lists.push(ofIntent('payment_reference', value(reference), chainIds()))
  const isElsewhere = isOfIntent || txHash !== null
  if (chain !== null ? !isOfIntent : lists.length === 0 && (matched !== null || !isElsewhere)) {
    const inChain = `unnest(${chainIds()}::integer[]) in_chain`
    const conditions = [...owner, ['chain_id', 'in_chain'], isMatched] as const
    lists.push(listOf('transfers', 'id', conditions, `${inChain}, ${inMatched()}`))
  }
  if (txHash !== null) {
    const isOwner = `merchant_id = ${merchantId} and mode = ${mode}`
    const isPart = ofTransaction(actor.mode, txHash, value)
    lists.push(fewOf(`select id from transfers where ${isPart} and ${isOwner}`))
  }
  // Without a name, so that PostgreSQL plans the statement for the current filters.
  const { rows } = await db.query<Omit<ListedTransfer, 'seenAt'>>(
    `${mergeIndexScans(lists, rangeOf('tr', filter, value))}
     select ${transferColumns}, t.bound_by as "boundBy", t.reason, ${selectSuggestions}
     from transfers t
     where t.id = any (array(select id from listed)) and t.merchant_id = ${merchantId} and t.mode = ${mode}
     order by t.id desc`,
    values,
  )
  return toPage(rows, filter.limit, (row) => ({ ...row, seenAt: timeOfId(row.id) }))
}

/** The transfers of an intent. All are on the same chain, and belong to the same merchant. */
function ofIntent(column: 'id' | 'payment_reference', value: string, chainIds: string): List {
  const owner = `p.${column} = ${value} and p.chain_id = any (${chainIds})`
  return {
    next: (bound) => `
      select last.id from payment_intents p, lateral (
        select id from transfers
        where (intent_id, id) < (p.id, ${bound}) and intent_id >= p.id
        order by intent_id desc, id desc limit 1
      ) last
      where ${owner}`,
    all: (bound) => `
      select t.id from payment_intents p join transfers t on t.intent_id = p.id
      where ${owner} and t.id < ${bound}`,
  }
}
