import type { Intent } from '@payment-intents/rules'
import type { Queryable } from '../connect.ts'
import {
  findLocked,
  type IntentRow,
  type StoredIntent,
  selectIntent,
  toIntent,
} from './paymentIntents.ts'

/** Of chain $1, intents that wait for depth and proof: those that are pending, and those that the chain took back. */
const settling = `
  select id from payment_intents where chain_id = $1 and status = 'pending_confirmations'
  union all
  select id from payment_intents where chain_id = $1 and status = 'succeeded'
    and 'reorged' = any (exceptions)`

/** Intents that wait for depth and proof. */
export async function findSettling(db: Queryable, chainId: number): Promise<StoredIntent[]> {
  const { rows } = await db.query<IntentRow>({
    name: 'find-settling',
    text: `${selectIntent} where p.id in (${settling}) order by p.id`,
    values: [chainId],
  })
  return rows.map(toIntent)
}

/** Intents that one reading may change, and how many of them are past their deadline. */
export type LockedForReading = { readonly intents: Intent[]; readonly overdue: number }

/**
 * Locks, as `lockIntents`, all that a reading may change: what transfers were bound to, what lost one to a reorg, what
 * waits for depth, and open intents whose deadline the chain's clock has passed, the oldest deadlines first, up to a
 * limit. The rest of those comes with the next readings.
 */
export async function lockForReading(
  db: Queryable,
  reading: {
    chainId: number
    /** The chain's clock, Unix seconds. */
    timestamp: number
    bound: readonly string[]
    /** Transfers that the chain took back. */
    orphaned: readonly string[]
    overdueAtMost: number
  },
): Promise<LockedForReading> {
  const { rows } = await db.query<{ id: string; overdue: boolean }>({
    name: 'lock-for-reading',
    text: `
      select id, status = 'requires_payment' and expires_at < to_timestamp($2) as overdue
      from payment_intents
      where id in (
        select unnest($3::text[])
        union all select intent_id from transfers where id = any($4)
        union all (${settling})
        union all (
          select id from payment_intents
          where chain_id = $1 and status = 'requires_payment' and expires_at < to_timestamp($2)
          order by expires_at limit $5
        )
      ) order by id for update`,
    values: [
      reading.chainId,
      reading.timestamp,
      reading.bound,
      reading.orphaned,
      reading.overdueAtMost,
    ],
  })
  const ids = rows.map((row) => row.id)
  return {
    intents: ids.length > 0 ? await findLocked(db, ids) : [],
    overdue: rows.filter((row) => row.overdue).length,
  }
}
