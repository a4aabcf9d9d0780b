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
import { metadataEntry, payerEntry } from './metadata.ts'
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
  const { chain, txHash, payer, wallet, reference, amount } = filter
  const statuses = filter.status === null ? statusSchema.options : [filter.status]
  const inStatus = () => `unnest(${value(statuses)}::text[]) in_status`
  const isStatus = ['status', 'in_status'] as const
  const ofOwn = (column: Condition) =>
    listOf('payment_intents', 'id', [...own, column, isStatus], inStatus())

  const inChain = () => `unnest(${value(knownOr(chain))}::text[]) in_chain`
  const inBoth = () => `${inChain()}, ${inStatus()}`
  const isBoth = [['chain', 'in_chain'], isStatus] as const

  const entries = filter.metadata.map(([key, text]) => metadataEntry(key, text))
  if (payer !== null) entries.push(payerEntry(payer))
  const lists: List[] = entries.map((entry) => {
    const ofEntry = [...own, ['entry', value(entry)]] as const
    const all = listOf('payment_intent_metadata', 'intent_id', ofEntry)
    if (chain === null && filter.status === null) return all
    const narrowed = listOf(
      'payment_intent_metadata',
      'intent_id',
      [...ofEntry, ...isBoth],
      inBoth(),
    )
    return eitherOf(narrowed, ofMany(ofEntry, value(knownOr(chain)), value(statuses)))
  })
  const areNarrowed = lists.length > 0
  if (wallet !== null) lists.push(ofOwn(['expected_wallet', value(wallet)]))
  if (amount !== null) {
    const units = value(amount)
    lists.push(eitherOf(ofOwn(['amount_units', units]), ofOwn(['payable_amount_units', units])))
  }
  if (!areNarrowed && (chain !== null || (filter.status !== null && lists.length === 0))) {
    lists.push(listOf('payment_intents', 'id', [...own, ...isBoth], inBoth()))
  }
  const isOwn = own.map(([column, its]) => `${column} = ${its}`).join(' and ')
  if (reference !== null) {
    const isOne = `payment_reference = ${value(reference)}`
    lists.push(fewOf(`select id from payment_intents where ${isOne} and ${isOwn}`))
  }
  if (txHash !== null) {
    const isPart = `${ofTransaction(who.mode, txHash, value)} and ${isOwn}`
    lists.push(
      fewOf(`select distinct intent_id from transfers where ${isPart} and intent_id is not null`),
    )
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

function knownOr(chain: Chain | null): readonly Chain[] {
  return chain === null ? knownChains : [chain]
}

/** Of an entry, the intents that have too many entries for each to have the chain and the status. */
function ofMany(ofEntry: readonly Condition[], inChains: string, inStatuses: string): List {
  const isEntry = ofEntry.map(([column, its]) => `m.${column} = ${its}`).join(' and ')
  const all = (bound: string) => `
    select m.intent_id as id from payment_intent_metadata m join payment_intents p on p.id = m.intent_id
    where ${isEntry} and m.chain is null and m.intent_id < ${bound}
      and p.chain = any (${inChains}) and p.status = any (${inStatuses})`
  return { all, next: (bound) => `${all(bound)} order by m.intent_id desc limit 1` }
}
