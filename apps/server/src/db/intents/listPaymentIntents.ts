import {
  type Chain,
  chains,
  type PaymentIntentStatus,
  statusSchema,
} from '@payment-intents/contract'
import type { Intent } from '@payment-intents/rules'
import type { Queryable } from '../connect.ts'
import type { Actor } from '../merchants/actor.ts'
import { type Page, toPage } from '../page.ts'
import { ofTransaction, rangeOf, type Search } from '../search.ts'
import { valuesOf } from '../values.ts'
import { type Condition, eitherOf, fewOf, type List, listOf, walkLists } from '../walkLists.ts'
import { metadataEntry } from './metadata.ts'
import { type IntentRow, selectIntent, toIntent } from './paymentIntents.ts'

export type IntentFilter = Search & {
  readonly status: PaymentIntentStatus | null
  readonly chain: Chain | null
  /** All of these must be in the metadata. */
  readonly metadata: readonly (readonly [key: string, value: string])[]
}

/** A merchant's intents, newest first. */
export async function listIntents(
  db: Queryable,
  who: Actor,
  filter: IntentFilter,
): Promise<Page<Intent>> {
  const { values, value } = valuesOf()
  const own = [
    ['merchant_id', value(who.merchantId)],
    ['mode', value(who.mode)],
  ] as const
  const chain = value(filter.chain === null ? knownChains : [filter.chain])
  const status = value(filter.status === null ? statusSchema.options : [filter.status])
  const among = `unnest(${chain}::text[]) in_chain, unnest(${status}::text[]) in_status`
  const facets = [
    ['chain', 'in_chain'],
    ['status', 'in_status'],
  ] as const
  /** Those of the status and chain, and with a value in one more column. */
  const ofOwn = (...column: Condition[]) =>
    listOf('payment_intents', 'id', [...own, ...column, ...facets], among)

  const { txHash, payer, wallet, reference, amount } = filter
  const lists: List[] = []
  if (wallet !== null) lists.push(ofOwn(['expected_wallet', value(wallet)]))
  if (amount !== null) {
    const units = value(amount)
    lists.push(eitherOf(ofOwn(['amount_units', units]), ofOwn(['payable_amount_units', units])))
  }
  const isAmong = filter.status !== null || filter.chain !== null
  if (isAmong && lists.length === 0) lists.push(ofOwn())
  for (const [key, text] of filter.metadata) {
    const entry = value(metadataEntry(key, text))
    lists.push(listOf('payment_intent_metadata', 'intent_id', [...own, ['entry', entry]]))
  }
  const isOwn = own.map(([column, its]) => `${column} = ${its}`).join(' and ')
  if (reference !== null) {
    const isOne = `payment_reference = ${value(reference)}`
    lists.push(fewOf(`select id from payment_intents where ${isOne} and ${isOwn}`))
  }
  if (txHash !== null) {
    const isPart = ofTransaction(who.mode, txHash, value)
    const isCredited = 'intent_id is not null'
    lists.push(
      fewOf(`select distinct intent_id from transfers
        where ${isPart} and ${isOwn} and ${isCredited}`),
    )
  }
  if (payer !== null) {
    const paid = listOf('transfers', 'intent_id', [...own, ['sender', value(payer)]])
    const all = (bound: string) => `select distinct id from (${paid.all(bound)}) paid (id)`
    lists.push({ ...paid, all })
  }
  if (lists.length === 0) lists.push(listOf('payment_intents', 'id', own))
  // Without a name, so that it is planned for the filters that are given.
  const { rows } = await db.query<IntentRow>(
    `${walkLists(lists, rangeOf('pi', filter, value))}
     ${selectIntent} where p.id = any (array(select id from listed)) order by p.id desc`,
    values,
  )
  return toPage(rows, filter.limit, toIntent)
}

const knownChains = [...new Set(chains.map(({ chain }) => chain))]

export async function findOwnIntent(db: Queryable, who: Actor, id: string): Promise<Intent | null> {
  const { rows } = await db.query<IntentRow>({
    name: 'find-own-intent',
    text: `${selectIntent} where p.id = $1 and p.merchant_id = $2 and p.mode = $3`,
    values: [id, who.merchantId, who.mode],
  })
  return rows[0] ? toIntent(rows[0]) : null
}
