import type { Db } from '../../../src/store/connection/connect.ts'

/** SQL of the objects that need attention, by their rows. It states the rules of the core a second time. */
const expected = `
  select id, merchant_id, mode, 'transfer_unmatched' as type from transfers t
  where merchant_id is not null and intent_id is null and refund_id is null and not orphaned
    and amount_units >= 10000
    and not exists (select from refunds r where r.transfer_id = t.id and r.status <> 'canceled')
  union all
  select id, merchant_id, mode, type from payment_intents p cross join lateral (
    select p.amount_received_units - coalesce(sum(amount_units), 0) as units
    from refunds r where r.intent_id = p.id and r.status <> 'canceled'
  ) unreturned cross join lateral (
    select case
      when status = 'succeeded' and 'reorged' = any (exceptions) then 'payment_intent_reversed'
      when status = 'succeeded' and units
        - least(coalesce(nullif(accepted_units, amount_units), payable_amount_units), payable_amount_units)
        >= 10000 then 'payment_intent_overpaid'
      when status not in ('expired', 'canceled') or units < 10000 then null
      when 'underpaid' = any (exceptions) then 'payment_intent_underpaid'
      else 'payment_intent_late'
    end as type
  ) reason where type is not null
  union all
  select id, merchant_id, mode, 'refund_waiting' from refunds
  where status in ('requires_destination', 'requires_confirmation', 'requires_signature')`

type AttentionMismatch = {
  readonly id: string
  /** The reason according to the rows; null: none. */
  readonly expected: string | null
  readonly noted: string | null
}

/** The objects whose stored attention differs from their rows. */
export async function findAttentionMismatches({
  pool,
}: Pick<Db, 'pool'>): Promise<AttentionMismatch[]> {
  const { rows } = await pool.query<AttentionMismatch>(
    `select coalesce(id, object_id) as id, e.type as expected, a.type as noted
     from (${expected}) e full join attention a on a.object_id = e.id
     where (e.merchant_id, e.mode, e.type) is distinct from (a.merchant_id, a.mode, a.type)`,
  )
  return rows
}
