import { chains, statusSchema } from '@payment-intents/contract'
import type { Actor, Intent, Page, PaymentIntentFilter } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'
import {
  type Condition,
  eitherOf,
  fewOf,
  type List,
  listOf,
  mergeIndexScans,
} from '../lists/mergeIndexScans.ts'
import { ofTransaction, rangeOf } from '../lists/searchSql.ts'
import { toPage } from '../lists/toPage.ts'
import { valuesOf } from '../lists/values.ts'
import { metadataEntry } from './metadata.ts'
import { type IntentRow, selectIntent, toIntent } from './paymentIntents.ts'

/** Lists a merchant's intents, newest first. */
export async function listIntents(
  db: Queryable,
  actor: Actor,
  filter: PaymentIntentFilter,
): Promise<Page<Intent>> {
  const { values, value } = valuesOf()
  const owner = [
    ['merchant_id', value(actor.merchantId)],
    ['mode', value(actor.mode)],
  ] as const
  const { chain, txHash, payer, wallet, reference, amount, paymentLink } = filter
  const statuses = filter.status === null ? statusSchema.options : [filter.status]
  const inStatus = () => `unnest(${value(statuses)}::text[]) in_status`
  const isStatus = ['status', 'in_status'] as const
  const ofOwner = (column: Condition) =>
    listOf('payment_intents', 'id', [...owner, column, isStatus], inStatus())

  const lists: List[] = []
  if (wallet !== null) lists.push(ofOwner(['expected_wallet', value(wallet)]))
  if (paymentLink !== null) {
    const isOfLink = [...owner, ['payment_link', value(paymentLink)], isStatus] as const
    lists.push(listOf('payment_intents', 'id', isOfLink, inStatus(), 'payment_link is not null'))
  }
  if (amount !== null) {
    const units = value(amount)
    lists.push(eitherOf(ofOwner(['amount_units', units]), ofOwner(['payable_amount_units', units])))
  }
  const ofBoth = (table: string, id: string, conditions: readonly Condition[]) => {
    const inChain = `unnest(${value(chain === null ? allChains : [chain])}::text[]) in_chain`
    const isBoth = [['chain', 'in_chain'], isStatus] as const
    return listOf(table, id, [...conditions, ...isBoth], `${inChain}, ${inStatus()}`)
  }
  const isNarrowed = chain !== null || filter.status !== null
  if (payer !== null && isNarrowed) {
    lists.push(ofBoth('payment_intent_payers', 'intent_id', [...owner, ['payer', value(payer)]]))
  } else if (chain !== null || (filter.status !== null && lists.length === 0)) {
    lists.push(ofBoth('payment_intents', 'id', owner))
  }
  for (const [key, text] of filter.metadata) {
    const entry = value(metadataEntry(key, text))
    lists.push(listOf('payment_intent_metadata', 'intent_id', [...owner, ['entry', entry]]))
  }
  const isOwner = owner.map(([column, value]) => `${column} = ${value}`).join(' and ')
  if (reference !== null) {
    const hasReference = `payment_reference = ${value(reference)}`
    lists.push(fewOf(`select id from payment_intents where ${hasReference} and ${isOwner}`))
  }
  if (txHash !== null) {
    const isPart = `${ofTransaction(actor.mode, txHash, value)} and ${isOwner}`
    lists.push(
      fewOf(`select distinct intent_id from transfers where ${isPart} and intent_id is not null`),
    )
  }
  if (payer !== null && !isNarrowed) {
    const paid = listOf('transfers', 'intent_id', [...owner, ['sender', value(payer)]])
    const all = (bound: string) => `select distinct id from (${paid.all(bound)}) paid (id)`
    lists.push({ ...paid, all })
  }
  if (lists.length === 0) lists.push(listOf('payment_intents', 'id', owner))
  // Without a name, so that PostgreSQL plans the statement for the current filters.
  const { rows } = await db.query<IntentRow>(
    `${mergeIndexScans(lists, rangeOf('pi', filter, value))}
     ${selectIntent} where p.id = any (array(select id from listed)) order by p.id desc`,
    values,
  )
  return toPage(rows, filter.limit, toIntent)
}

const allChains = [...new Set(chains.map(({ chain }) => chain))]
