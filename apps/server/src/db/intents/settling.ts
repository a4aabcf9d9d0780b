import type { Intent } from '@payment-intents/rules'
import type { UsedAuthorization } from '../authorizations/endAuthorizations.ts'
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

/**
 * Intents that one reading may change, how many of them are past their deadline, and whether authorizations of any may
 * end.
 */
export type LockedForReading = {
  readonly intents: Intent[]
  readonly overdue: number
  readonly hasAuthorizations: boolean
}

/**
 * Locks, as `lockIntents`, all that a reading may change: what transfers were bound to, what lost one to a reorg, what
 * waits for depth, open intents whose deadline the chain's clock has passed, the oldest deadlines first, up to a
 * limit, and those of authorizations that are used, taken back or over. The rest of those comes with the next readings.
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
    /** Authorizations that the chain has used. */
    used: readonly UsedAuthorization[]
  },
): Promise<LockedForReading> {
  const { rows } = await db.query<{ id: string; overdue: boolean; authorized: boolean }>({
    name: 'lock-for-reading',
    text: `
      select id, status = 'requires_payment' and expires_at < to_timestamp($2) as overdue, exists (
          select from authorizations a where a.intent_id = p.id and status in ('in_flight', 'used')
        ) as authorized
      from payment_intents p
      where id in (
        select unnest($3::text[])
        union all select intent_id from transfers where id = any($4)
        union all (${settling})
        union all (
          select id from payment_intents
          where chain_id = $1 and status = 'requires_payment' and expires_at < to_timestamp($2)
          order by expires_at limit $5
        )
        union all
        select a.intent_id from json_to_recordset($6) as g (authorizer text, nonce text)
        cross join lateral (
          select intent_id from authorizations
          where chain_id = $1 and authorizer = g.authorizer and nonce = g.nonce offset 0
        ) a
        union all
        select a.intent_id from transfers t cross join lateral (
          select intent_id from authorizations
          where chain_id = $1 and tx_hash = t.tx_hash and status = 'used' offset 0
        ) a where t.id = any($4)
        union all (
          select intent_id from authorizations
          where chain_id = $1 and status = 'in_flight' and valid_before <= $2
          order by valid_before limit $5
        )
      ) order by id for update`,
    values: [
      reading.chainId,
      reading.timestamp,
      reading.bound,
      reading.orphaned,
      reading.overdueAtMost,
      JSON.stringify(reading.used.map(({ authorizer, nonce }) => ({ authorizer, nonce }))),
    ],
  })
  const ids = rows.map((row) => row.id)
  return {
    intents: ids.length > 0 ? await findLocked(db, ids) : [],
    overdue: rows.filter((row) => row.overdue).length,
    // One that was stored while this statement waited for its intent is not shown to it.
    hasAuthorizations:
      reading.used.length + reading.orphaned.length > 0 || rows.some((row) => row.authorized),
  }
}
