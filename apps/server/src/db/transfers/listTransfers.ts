import { type Chain, chainFacts, chains, type Mode } from '@payment-intents/contract'
import type { PresentableTransfer } from '@payment-intents/rules'
import type { Queryable } from '../connect.ts'
import type { Actor } from '../merchants/actor.ts'
import { type Page, toPage } from '../page.ts'
import { valuesOf } from '../values.ts'
import { type List, listOf, walkLists } from '../walkLists.ts'
import { selectSuggestions } from './suggestions.ts'
import { transferColumns } from './transfers.ts'

export type TransferFilter = {
  readonly limit: number
  /** The transfer to continue after. */
  readonly startingAfter: string | null
  readonly intentId: string | null
  readonly matched: boolean | null
  readonly chain: Chain | null
}

export type ListedTransfer = PresentableTransfer & { readonly chainId: number }

/** Transfers to a merchant's wallets, the latest seen first. */
export async function listTransfers(
  db: Queryable,
  who: Actor,
  filter: TransferFilter,
): Promise<Page<ListedTransfer>> {
  if (filter.intentId !== null && filter.matched === false) return { items: [], hasMore: false }
  const { values, value } = valuesOf()
  const [merchantId, mode] = [value(who.merchantId), value(who.mode)]
  const chain = filter.chain && chainFacts(who.mode, filter.chain).chainId
  const chainIds = value(chain === null ? chainIdsOf(who.mode) : [chain])
  const own = [
    ['merchant_id', merchantId],
    ['mode', mode],
  ] as const
  const list = () => {
    if (filter.intentId !== null) return ofIntent(value(filter.intentId), chainIds)
    const matched = value(filter.matched === null ? [true, false] : [filter.matched])
    const conditions = [...own, ['chain_id', 'in_chain'], [isMatched, 'is_matched']] as const
    const among = `unnest(${chainIds}::integer[]) in_chain, unnest(${matched}::boolean[]) is_matched`
    return listOf('transfers', 'id', conditions, among)
  }
  // Without a name, so that it is planned for the filters that are given.
  const { rows } = await db.query<ListedTransfer>(
    `${walkLists([list()], value(filter.startingAfter), value(filter.limit + 1))}
     select ${transferColumns}, t.bound_by as "boundBy", t.reason, ${selectSuggestions},
       floor(extract(epoch from t.seen_at) * 1000)::float8 as "seenAt"
     from transfers t
     where t.id = any (array(select id from listed)) and t.merchant_id = ${merchantId} and t.mode = ${mode}
     order by t.id desc`,
    values,
  )
  return toPage(rows, filter.limit, (row) => row)
}

const isMatched = '(intent_id is not null)'

function chainIdsOf(mode: Mode): number[] {
  return chains.filter((facts) => facts.mode === mode).map(({ chainId }) => chainId)
}

/** All that is credited to an intent came to one chain, and to one merchant. */
function ofIntent(id: string, chainIds: string): List {
  const own = `p.id = ${id} and p.chain_id = any (${chainIds})`
  return {
    next: (bound) => `
      select last.id from payment_intents p, lateral (
        select id from transfers
        where (intent_id, id) < (p.id, ${bound}) and intent_id >= p.id
        order by intent_id desc, id desc limit 1
      ) last
      where ${own}`,
    all: (bound) => `
      select t.id from payment_intents p join transfers t on t.intent_id = p.id
      where ${own} and t.id < ${bound}`,
  }
}
