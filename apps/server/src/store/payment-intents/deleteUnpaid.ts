import { type Db, type Queryable, transaction } from '../connection/connect.ts'
import { firstId } from '../lists/ids.ts'
import { deleteMetadata, type OfIntent } from './metadata.ts'

const isUnpaid = `status in ('expired', 'canceled') and amount_received_units = 0`

/**
 * Finds a step of the intents that were created before a time and ended unpaid.
 * @param range.before Unix milliseconds
 * @param range.after the end of the previous step, at first empty
 */
export async function findUnpaid(
  db: Queryable,
  { before, after, limit }: { before: number; after: string; limit: number },
): Promise<{ id: string }[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'find-unpaid-intents',
    text: `
      select id from payment_intents where ${isUnpaid} and id > $1 and id < $2
      order by id limit $3`,
    values: [after, firstId('pi', before), limit],
  })
  return rows
}

/**
 * Deletes the intents that ended unpaid and whose deadline is before a time, with their metadata. These stay:
 *
 * - an intent to which a transfer was ever credited, or still may be;
 * - an intent with a refund, even if the refund was canceled;
 * - an intent that still has an event.
 * @param before Unix milliseconds
 */
export function deleteUnpaid(
  db: Db,
  before: number,
  intents: readonly { readonly id: string }[],
): Promise<void> {
  return transaction(db, async (client) => {
    // Lock the intents, so that a concurrent write that refers to them waits, and is then refused.
    const { rows } = await client.query<OfIntent & { isDeletable: boolean }>({
      name: 'lock-unpaid-intents',
      text: `
        select p.id, p.merchant_id as "merchantId", p.mode, p.metadata,
          p.expires_at < $2 and coalesce(
            (select false from transfers t where t.intent_id = p.id limit 1),
            (select false from events e where e.intent_id = p.id limit 1),
            (select false from refunds r where r.intent_id = p.id limit 1),
            (
              select false from transfer_suggestions s join transfers t on t.id = s.transfer_id
              where s.intent_id = p.id and t.intent_id is null limit 1
            ),
            (
              select false from payable_reservations r
              where r.chain_id = p.chain_id and r.wallet = p.expected_wallet
                and r.payable_amount_units = p.payable_amount_units and r.intent_id = p.id
            ),
            true
          ) as "isDeletable"
        from payment_intents p
        where id = any($1) and ${isUnpaid}
        order by p.id
        for update`,
      values: [intents.map(({ id }) => id), new Date(before)],
    })
    const deletable = rows.filter(({ isDeletable }) => isDeletable)
    await deleteMetadata(client, deletable)
    await client.query({
      name: 'delete-intents',
      text: `
        with submitted as (
          -- The transaction stays, since its cost counts.
          update relayer_transactions set authorization_id = null
          where authorization_id in (select id from authorizations where intent_id = any($1))
        ), authorized as (
          delete from authorizations where intent_id = any($1)
        ), announced as (
          delete from announced_payers where intent_id = any($1)
        ), suggested as (
          delete from transfer_suggestions where intent_id = any($1)
        ), counted as (
          -- Summaries still count deleted intents. The order keeps two servers from a deadlock.
          insert into summary_deleted as d (merchant_id, mode, start, created, opened)
          select merchant_id, mode, date_bin('15 minutes', created_at, timestamptz '2000-01-01Z'),
            count(*), count(opened_at)
          from payment_intents where id = any($1) group by 1, 2, 3 order by 1, 2, 3
          on conflict (merchant_id, mode, start) do update
          set created = d.created + excluded.created, opened = d.opened + excluded.opened
        )
        delete from payment_intents where id = any($1)`,
      values: [deletable.map(({ id }) => id)],
    })
  })
}
