import { windows } from '@payment-intents/contract'
import {
  type NearIntent,
  type Suggestion,
  suggest,
  type UnmatchedReason,
} from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'
import { existedBefore } from './candidates.ts'
import type { StoredTransfer } from './transfers.ts'

/** The maximum of reserved amounts that are compared on either side of the sent amount. */
const maxNearAmounts = 20

/** Finds the intents of its merchant that each unmatched transfer may pay, likeliest first, by the transfer's id. */
export async function findSuggestions(
  db: Queryable,
  chainId: number,
  transfers: readonly (StoredTransfer & { merchantId: string })[],
): Promise<Map<string, Suggestion[]>> {
  if (transfers.length === 0) return new Map()
  const { rows } = await db.query<
    NearIntent & { transfer_id: string; is_near: boolean; names_payer: boolean }
  >({
    name: 'find-suggestions',
    text: `
      with tx as materialized (
        select input.*, to_timestamp(seconds) as at, (
          select min(seen_at) from transfers t where t.chain_id = $1 and t.tx_hash = input.tx_hash
        ) as seen_at
        from json_to_recordset($2) as input (
          id text, merchant_id text, sender text, wallet text, amount numeric, block bigint,
          seconds bigint, tx_hash text
        )
      )
      select tx.id as transfer_id, near.* from tx cross join lateral (
        with near as (
          (select * from payable_reservations
            where chain_id = $1 and wallet = tx.wallet
              and payable_amount_units >= least(tx.amount, ${Number.MAX_SAFE_INTEGER})::bigint
            order by payable_amount_units limit ${maxNearAmounts})
          union all
          (select * from payable_reservations
            where chain_id = $1 and wallet = tx.wallet
              and payable_amount_units < least(tx.amount, ${Number.MAX_SAFE_INTEGER})::bigint
            order by payable_amount_units desc limit ${maxNearAmounts})
        ), eligible as (
          select intent_id from near r where ${existedBefore}
        ), announced as (
          select intent_id from announced_payers where payer = tx.sender
          order by intent_id desc limit 100
        )
        select p.id, p.amount_units as amount, p.payable_amount_units as payable,
          exists (select from eligible where eligible.intent_id = p.id) as is_near,
          exists (select from announced where announced.intent_id = p.id) as names_payer
        from (select intent_id from eligible union select intent_id from announced) candidates
        cross join lateral (
          select * from payment_intents where id = candidates.intent_id offset 0
        ) p
        where p.chain_id = $1 and p.expected_wallet = tx.wallet and p.merchant_id = tx.merchant_id
          and p.status not in ('pending_confirmations', 'succeeded')
          and p.created_at <= tx.at + interval '2 seconds'
          and p.expires_at >= tx.at - interval '${windows.late} seconds'
      ) near
      order by near.id desc`,
    values: [chainId, JSON.stringify(transfers.map(toTransferRow))],
  })
  const byTransfer = Map.groupBy(rows, (row) => row.transfer_id)
  return new Map(
    transfers.map(({ id, amount }) => {
      const intents = byTransfer.get(id) ?? []
      const near = intents.filter((row) => row.is_near)
      const namedPayers = intents.filter((row) => row.names_payer).map((row) => row.id)
      return [id, suggest(amount, near, namedPayers)]
    }),
  )
}

function toTransferRow(transfer: StoredTransfer & { merchantId: string }) {
  return {
    id: transfer.id,
    merchant_id: transfer.merchantId,
    sender: transfer.from,
    wallet: transfer.to,
    amount: String(transfer.amount),
    block: String(transfer.blockNumber),
    seconds: transfer.blockTimestamp,
    tx_hash: transfer.txHash,
  }
}

/** The intents that a transfer may pay, and the reason why it pays none, which depends on them. */
export type Suggested = {
  readonly transferId: string
  readonly reason: UnmatchedReason
  readonly suggestions: readonly Suggestion[]
}

/** Stores suggestions, and wakes the checkouts of open intents that transfers nearly paid. */
export async function insertSuggestions(db: Queryable, suggested: readonly Suggested[]) {
  const rows = suggested.flatMap(({ transferId, reason, suggestions }) =>
    suggestions.map(({ intentId, match }, index) => {
      return { transfer_id: transferId, reason, intent_id: intentId, match, rank: index + 1 }
    }),
  )
  if (rows.length === 0) return
  await db.query({
    name: 'insert-suggestions',
    text: `
      with input as materialized (
        select * from json_to_recordset($1) as g (
          transfer_id text, reason text, intent_id text, match text, rank integer
        )
      ), explained as (
        update transfers t set reason = g.reason
        from (select distinct transfer_id, reason from input) g where t.id = g.transfer_id
      ), inserted as (
        insert into transfer_suggestions (transfer_id, intent_id, match, rank)
        select transfer_id, intent_id, match, rank from input
        on conflict do nothing
        returning intent_id, match
      )
      update payment_intents p set version = version + n
      from (
        select intent_id, count(*) as n from inserted where match <> 'payer' group by intent_id
      ) i
      where p.id = i.intent_id and p.status = 'requires_payment'`,
    values: [JSON.stringify(rows)],
  })
}

/** SQL of the intents that a transfer `t` may pay, as JSON, likeliest first. */
export const selectSuggestions = `
  (select coalesce(json_agg(json_build_object('intentId', s.intent_id, 'match', s.match)
      order by s.rank), '[]')
    from transfer_suggestions s where s.transfer_id = t.id and t.intent_id is null) as suggestions`
