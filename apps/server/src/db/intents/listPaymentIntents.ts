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
import { valuesOf } from '../values.ts'
import { listOf, walkLists } from '../walkLists.ts'
import { metadataEntry } from './metadata.ts'
import { type IntentRow, selectIntent, toIntent } from './paymentIntents.ts'

export type IntentFilter = {
  readonly limit: number
  /** The intent to continue after. */
  readonly startingAfter: string | null
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
  const lists = filter.metadata.map(([key, text]) => {
    const entry = value(metadataEntry(key, text))
    return listOf('payment_intent_metadata', 'intent_id', [...own, ['entry', entry]])
  })
  if (filter.status !== null || filter.chain !== null) {
    const chain = value(filter.chain === null ? knownChains : [filter.chain])
    const status = value(filter.status === null ? statusSchema.options : [filter.status])
    const conditions = [...own, ['chain', 'in_chain'], ['status', 'in_status']] as const
    const among = `unnest(${chain}::text[]) in_chain, unnest(${status}::text[]) in_status`
    lists.push(listOf('payment_intents', 'id', conditions, among))
  } else if (lists.length === 0) {
    lists.push(listOf('payment_intents', 'id', own))
  }
  // Without a name, so that it is planned for the filters that are given.
  const { rows } = await db.query<IntentRow>(
    `${walkLists(lists, value(filter.startingAfter), value(filter.limit + 1))}
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
