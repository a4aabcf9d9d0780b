import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Queryable } from '../connection/connect.ts'

/** An authorization that a transaction of the chain used. */
export type UsedAuthorization = {
  readonly authorizer: Address
  readonly nonce: Hex
  readonly recipient: Address
  readonly amount: bigint
  readonly txHash: Hex
}

/**
 * Ends the authorizations that a poll of the chain has decided, and reopens those that the chain took back: only of the
 * intents and refunds that the poll has locked and written. An authorization that was stored while they were locked
 * expires with a later poll. The new status of an authorization:
 *
 * - `used` if the chain has used it, no matter who submitted it and which status it had.
 * - `refused` if the account has used its nonce for another payment: it can move nothing any longer.
 * - `in_flight` again if the chain took it back while it is valid, and no other authorization of its intent is in
 *   flight. Otherwise it is `expired` or `refused`.
 * - `expired` if its time is over by the chain's clock: every earlier block has been read. If it was broadcast or pays
 *   a refund, it expires only when a block after `valid_before` has the required confirmations: until then, a reorg
 *   could let anybody submit it again, and the amount of a refund stays reserved.
 * - `refused` if it was never broadcast and its intent is paid otherwise.
 *
 * Raises the version of each intent that the poll did not change itself, and wakes the requests that wait for it.
 * @param update `locked` intents have at most one authorization in flight each. `changed` intents have a greater
 *   version already. `paid` are the paid intents
 */
export async function endAuthorizations(
  db: Queryable,
  update: {
    chainId: number
    /** The chain's clock, Unix seconds. */
    timestamp: number
    used: readonly UsedAuthorization[]
    /** Transfers that the chain took back. */
    orphaned: readonly string[]
    locked: readonly string[]
    /** Locked refunds. */
    refunds: readonly string[]
    changed: readonly string[]
    paid: readonly string[]
  },
): Promise<void> {
  await db.query({
    name: 'end-authorizations',
    text: `
      with input as materialized (
        select * from json_to_recordset($3) as g (
          authorizer text, nonce text, recipient text, amount numeric, tx_hash text
        )
      ), used as materialized (
        select a.id, a.recipient = g.recipient and a.amount_units = g.amount as is_this_payment, g.tx_hash
        from input g cross join lateral (
          select * from authorizations
          where chain_id = $1 and authorizer = g.authorizer and nonce = g.nonce offset 0
        ) a where a.intent_id = any ($7) or a.refund_id = any ($8)
      ), reorged as materialized (
        select distinct on (coalesce(a.intent_id, a.refund_id)) a.id, a.intent_id, a.valid_before
        from unnest($4::text[]) as orphaned (id) join transfers t on t.id = orphaned.id
        cross join lateral (
          select * from authorizations
          where chain_id = $1 and tx_hash = t.tx_hash and authorizer = t.sender and status = 'used'
          offset 0
        ) a
        where (a.intent_id = any ($7) or a.refund_id = any ($8)) and a.id not in (select id from used)
        order by coalesce(a.intent_id, a.refund_id), a.id desc
      ), expired as materialized (
        select a.id from authorizations a
        left join payment_intents p on p.id = a.intent_id left join refunds r on r.id = a.refund_id
        where (a.intent_id = any ($7) or a.refund_id = any ($8)) and a.status = 'in_flight'
          and a.id not in (select id from used) and a.valid_before <= case
            when a.tx_hash is null and a.nonce_used_at is null and a.refund_id is null then $2
            else (
              select max(b.timestamp) from chain_blocks b join chain_cursors c using (chain_id)
              where chain_id = $1 and b.number <=
                c.scanned_to - coalesce(p.confirmations_required, r.confirmations_required) + 1
            )
          end
      ), unneeded as materialized (
        select id from authorizations
        where intent_id = any ($6) and status = 'in_flight' and tx_hash is null
          and id not in (select id from used) and id not in (select id from expired)
      ), ends as (
        select id, 'used' as status, null as reason, tx_hash from used where is_this_payment
        union all
        select id, 'refused', 'authorization_used', null from used where not is_this_payment
        union all
        select id, 'expired', null, null from expired
        union all
        select id, 'refused', 'intent_paid', null from unneeded
        union all
        select id, case
            when valid_before <= $2 then 'expired'
            when exists (
              select from authorizations o
              where o.intent_id = b.intent_id and o.status = 'in_flight'
            ) then 'refused'
            else 'in_flight'
          end, null, null
        from reorged b
      ), ended as (
        update authorizations a set status = e.status, reason = e.reason,
          tx_hash = coalesce(e.tx_hash, a.tx_hash),
          ended_at = case when e.status = 'in_flight' then null else now() end
        from ends e
        where a.id = e.id and (a.status, a.tx_hash) is distinct from (e.status, coalesce(e.tx_hash, a.tx_hash))
        returning a.intent_id, a.status
      ), changed as (
        update payment_intents set version = version + 1
        where id in (select intent_id from ended) and id <> all ($5)
      )
      select pg_notify('authorization_stored', $1::text) from (
        select from ended where status = 'in_flight' limit 1
      ) reopened`,
    values: [
      update.chainId,
      update.timestamp,
      JSON.stringify(
        update.used.map(({ amount, txHash, ...used }) => ({
          ...used,
          amount: String(amount),
          tx_hash: txHash,
        })),
      ),
      update.orphaned,
      update.changed,
      update.paid,
      update.locked,
      update.refunds,
    ],
  })
}
