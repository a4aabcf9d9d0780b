import type { Chain, PaymentIntentStatus } from '@payment-intents/contract'
import type { Intent } from '@payment-intents/rules'
import type { Actor } from './act.ts'
import type { Queryable } from './connect.ts'
import { metadataEntry } from './intentMetadata.ts'
import { type Page, toPage } from './page.ts'
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
  const entries = filter.metadata.map(([key, value]) => metadataEntry(key, value))
  const joins = entries.map(
    (_, index) => `
     join payment_intent_metadata m${index} on m${index}.merchant_id = $1 and m${index}.mode = $2
       and m${index}.entry = $${index + 7} and m${index}.intent_id = p.id`,
  )
  // Without a name, so that it is planned for the filters that are given.
  const { rows } = await db.query<IntentRow>(
    `${selectIntent} ${joins.join('')}
     where p.merchant_id = $1 and p.mode = $2
       and ($3::text is null or p.id < $3)
       and ($4::text is null or p.status = $4)
       and ($5::text is null or p.chain = $5)
     order by p.id desc limit $6`,
    [
      who.merchantId,
      who.mode,
      filter.startingAfter,
      filter.status,
      filter.chain,
      filter.limit + 1,
      ...entries,
    ],
  )
  return toPage(rows, filter.limit, toIntent)
}

export async function findOwnIntent(db: Queryable, who: Actor, id: string): Promise<Intent | null> {
  const { rows } = await db.query<IntentRow>({
    name: 'find-own-intent',
    text: `${selectIntent} where p.id = $1 and p.merchant_id = $2 and p.mode = $3`,
    values: [id, who.merchantId, who.mode],
  })
  return rows[0] ? toIntent(rows[0]) : null
}
