import type { Queryable } from '../connection/connect.ts'

// The subject of an authorization is the intent or the refund that it pays.

/**
 * The state of an authorization's subject. `unpaid`: the payment may be broadcast. `paid`: the intent has received
 * money. `ended`: the intent is canceled or expired. A refund is `unpaid` here: `findBroadcastable` reads its state
 * under the lock.
 */
export type SubjectState = 'unpaid' | 'paid' | 'ended'

/** SQL that joins the subject of an authorization `a`: an intent `p` or a refund `r`. */
export const joinSubjects = `
  left join payment_intents p on p.id = a.intent_id left join refunds r on r.id = a.refund_id`

/**
 * Locks the subjects of authorizations until the transaction ends. Skips those that another transaction has locked, so
 * that they do not delay the rest.
 * @returns the ids of the authorizations whose subject is locked
 */
export async function lockSubjectsOf(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: 'lock-subjects-of-authorizations',
    text: `
      with locked as (
        select id from payment_intents
        where id in (select intent_id from authorizations where id = any ($1))
        order by id for update skip locked
      ), locked_refunds as (
        select id from refunds
        where id in (select refund_id from authorizations where id = any ($1))
        order by id for update skip locked
      )
      select id from authorizations
      where id = any ($1) and (
        intent_id in (select id from locked) or refund_id in (select id from locked_refunds)
      )`,
    values: [ids],
  })
  return new Set(rows.map(({ id }) => id))
}
