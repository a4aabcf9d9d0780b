import type { Intent } from '@payment-intents/core'
import { classifyDbError } from '../../lib/classifyDbError.ts'
import type { UsedAuthorization } from '../authorizations/endAuthorizations.ts'
import type { Queryable } from '../connection/connect.ts'
import { inHalves } from '../connection/inHalves.ts'
import {
  findLocked,
  type IntentRow,
  type StoredIntent,
  selectIntent,
  toIntent,
} from './paymentIntents.ts'

/** SQL of chain $1's intents that wait for depth and proof: pending intents, and intents that the chain took back. */
const settling = `
  select id from payment_intents where chain_id = $1 and status = 'pending_confirmations'
  union all
  select id from payment_intents where chain_id = $1 and status = 'succeeded'
    and 'reorged' = any (exceptions)`

/**
 * SQL of the intents of chain $1, except $4, that wait for depth, and up to $3 each whose deadline is over at the time
 * $2, whose authorization is over, or whose link is used up.
 */
const mayChangeByTime = `
  select id from (${settling}) waiting where id <> all ($4)
  union all (
    select id from payment_intents
    where chain_id = $1 and status = 'requires_payment' and expires_at < to_timestamp($2)
      and id <> all ($4)
    order by expires_at limit $3
  )
  union all (
    select intent_id from authorizations
    where chain_id = $1 and status = 'in_flight' and valid_before <= $2 and intent_id <> all ($4)
    order by valid_before limit $3
  )
  union all (
    -- Without \`offset 0\`, PostgreSQL might join every open intent in each poll.
    select p.id from payment_links l cross join lateral (
      select id from payment_intents
      where payment_link = l.id and status = 'requires_payment' and not holds_place
        and chain_id = $1 and id <> all ($4)
      offset 0
    ) p
    where l.closing limit $3
  )`

/** The errors of intents that could not be read or changed, by id. */
export type FailedIntents = ReadonlyMap<string, unknown>

/**
 * Finds the intents that wait for depth and proof. If an intent cannot be read, the others are still read.
 * @param except intents to skip
 */
export async function findSettling(
  db: Queryable,
  chainId: number,
  except: readonly string[],
): Promise<{ intents: readonly StoredIntent[]; failed: FailedIntents }> {
  const failed = new Map<string, unknown>()
  const select = async (where: string, values: unknown[]) => {
    const { rows } = await db.query<IntentRow>({
      name: `find-settling-${values.length}`,
      text: `${selectIntent} where p.id ${where} order by p.id`,
      values,
    })
    return rows.map(toIntent)
  }
  try {
    const all = await select(`in (${settling}) and p.id <> all ($2)`, [chainId, except])
    return { intents: all, failed }
  } catch (error) {
    if (classifyDbError(error) !== null) throw error
  }
  const { rows } = await db.query<{ id: string }>({
    name: 'find-settling-ids',
    text: `select id from (${settling}) waiting where id <> all ($2) order by id`,
    values: [chainId, except],
  })
  const intents: StoredIntent[] = []
  await inHalves(
    rows.map(({ id }) => id),
    async (ids) => intents.push(...(await select('= any ($1)', [ids]))),
    { onFailure: (id, error) => void failed.set(id, error) },
  )
  return { intents, failed }
}

/** Finds the intents that a poll changes only because time has passed. */
export async function findDue(
  db: Queryable,
  poll: { chainId: number; timestamp: number; limit: number; skippedIntents: readonly string[] },
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'find-due',
    text: `select distinct id from (${mayChangeByTime}) due order by id`,
    values: [poll.chainId, poll.timestamp, poll.limit, poll.skippedIntents],
  })
  return rows.map(({ id }) => id)
}

/**
 * The intents that a poll may change, the number of them that are past their deadline, and whether an authorization of
 * them may end.
 */
export type LockedForPoll = {
  readonly intents: Intent[]
  readonly overdue: number
  readonly hasAuthorizations: boolean
}

/**
 * Locks all intents that a poll may change, and reads them:
 *
 * - intents to which transfers were bound, which lost a transfer to a reorg, or which wait for depth;
 * - up to a limit, open intents whose deadline is over by the chain's clock, oldest deadlines first;
 * - intents whose authorization is used, taken back or over.
 *
 * The next polls handle the remaining intents.
 */
export async function lockForPoll(
  db: Queryable,
  poll: {
    chainId: number
    /** The chain's clock, Unix seconds. */
    timestamp: number
    bound: readonly string[]
    /** Transfers that the chain took back. */
    orphaned: readonly string[]
    maxOverdue: number
    /** Authorizations that the chain has used. */
    used: readonly UsedAuthorization[]
    /** Intents that the poll must not change. */
    skippedIntents: readonly string[]
    /** The intents that time may change; null: all that are due. */
    due: readonly string[] | null
  },
): Promise<LockedForPoll> {
  const { rows } = await db.query<{ id: string; overdue: boolean; authorized: boolean }>({
    name: 'lock-for-poll',
    text: `
      select id, status = 'requires_payment' and expires_at < to_timestamp($2) as overdue, exists (
          select from authorizations a where a.intent_id = p.id and status in ('in_flight', 'used')
        ) as authorized
      from payment_intents p
      where id in (
        select unnest($5::text[])
        union all select intent_id from transfers where id = any($6)
        union all select id from (${mayChangeByTime}) due where $8::text[] is null or id = any($8)
        union all
        select a.intent_id from json_to_recordset($7) as g (authorizer text, nonce text)
        cross join lateral (
          select intent_id from authorizations
          where chain_id = $1 and authorizer = g.authorizer and nonce = g.nonce offset 0
        ) a
        union all
        select a.intent_id from transfers t cross join lateral (
          select intent_id from authorizations
          where chain_id = $1 and tx_hash = t.tx_hash and status = 'used' offset 0
        ) a where t.id = any($6)
      ) and id <> all ($4) order by id for update`,
    values: [
      poll.chainId,
      poll.timestamp,
      poll.maxOverdue,
      poll.skippedIntents,
      poll.bound,
      poll.orphaned,
      JSON.stringify(poll.used.map(({ authorizer, nonce }) => ({ authorizer, nonce }))),
      poll.due,
    ],
  })
  const ids = rows.map((row) => row.id)
  return {
    intents: ids.length > 0 ? await findLocked(db, ids) : [],
    overdue: rows.filter((row) => row.overdue).length,
    // The statement does not see an authorization that was stored while it waited for the lock, so use the facts, too.
    hasAuthorizations:
      poll.used.length + poll.orphaned.length > 0 || rows.some((row) => row.authorized),
  }
}
