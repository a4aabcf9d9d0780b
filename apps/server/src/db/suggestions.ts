import type { Address } from '@payment-intents/contract'
import {
  type NearIntent,
  type Suggestion,
  suggest,
  type UnmatchedReason,
} from '@payment-intents/rules'
import type { Hex } from 'viem'
import type { Queryable } from './connect.ts'

/** Reserved amounts that are looked at on either side of the one that was sent. */
const nearestLookedAt = 20

/** What an unmatched transfer may be for, of its merchant's intents, the likeliest first. */
export async function findSuggestions(
  db: Queryable,
  transfer: {
    chainId: number
    merchantId: string
    from: Address
    to: Address
    amount: bigint
    blockNumber: bigint
    blockTimestamp: number
    txHash: Hex
  },
): Promise<Suggestion[]> {
  const { chainId, merchantId, from, to, amount } = transfer
  const { rows } = await db.query<NearIntent & { is_near: boolean; is_claimed: boolean }>({
    name: 'find-suggestions',
    text: `
      with near as (
        (select * from payable_reservations
          where chain_id = $1 and wallet = $2 and payable_amount_units >= $3
          order by payable_amount_units limit ${nearestLookedAt})
        union all
        (select * from payable_reservations
          where chain_id = $1 and wallet = $2 and payable_amount_units < $3
          order by payable_amount_units desc limit ${nearestLookedAt})
      ), begun as (
        select intent_id from near where ${hasBegun}
      ), claimed as (
        select intent_id from announced_payers where payer = $4 order by intent_id desc limit 100
      )
      select p.id, p.amount_units as amount, p.payable_amount_units as payable,
        exists (select from begun where begun.intent_id = p.id) as is_near,
        exists (select from claimed where claimed.intent_id = p.id) as is_claimed
      from payment_intents p
      where p.id in (select intent_id from begun union select intent_id from claimed)
        and p.chain_id = $1 and p.expected_wallet = $2 and p.merchant_id = $5
        and p.status not in ('pending_confirmations', 'succeeded')
        and p.created_at <= to_timestamp($6) + interval '2 seconds'
        and p.expires_at >= to_timestamp($6) - interval '24 hours'
      order by p.id desc`,
    values: [
      chainId,
      to,
      amount,
      from,
      merchantId,
      transfer.blockTimestamp,
      transfer.blockNumber,
      transfer.txHash,
    ],
  })
  const near = rows.filter((row) => row.is_near)
  const claims = rows.filter((row) => row.is_claimed).map(({ id }) => id)
  return suggest(amount, near, claims)
}

/** The transfer is not from before the intent that reserved the amount. */
const hasBegun = `
  coalesce(since_block <= $7, since <= to_timestamp($6))
  and made_at <= (select min(seen_at) from transfers where chain_id = $1 and tx_hash = $8)`

/** Keeps what a transfer may be for, and wakes the checkouts of open intents that it nearly paid. */
export async function insertSuggestions(
  db: Queryable,
  transferId: string,
  reason: UnmatchedReason,
  suggestions: readonly Suggestion[],
): Promise<void> {
  if (suggestions.length === 0) return
  await db.query({
    name: 'insert-suggestions',
    text: `
      with explained as (
        update transfers set reason = $4 where id = $1
      ), inserted as (
        insert into transfer_suggestions (transfer_id, intent_id, match, rank)
        select $1, intent_id, match, rank
        from unnest($2::text[], $3::text[]) with ordinality as s (intent_id, match, rank)
        on conflict do nothing
        returning intent_id, match
      ), nearly_paid as (
        update payment_intents p set version = version + 1
        from inserted i
        where p.id = i.intent_id and i.match <> 'payer' and p.status = 'requires_payment'
        returning p.id
      )
      select pg_notify('payment_intent_changed', id) from nearly_paid`,
    values: [
      transferId,
      suggestions.map(({ intentId }) => intentId),
      suggestions.map(({ match }) => match),
      reason,
    ],
  })
}

/** Of transfers as `t`: what each may be for, as JSON in the order of likelihood. */
export const selectSuggestions = `
  (select coalesce(json_agg(json_build_object('intentId', s.intent_id, 'match', s.match)
      order by s.rank), '[]')
    from transfer_suggestions s where s.transfer_id = t.id and t.intent_id is null) as suggestions`
