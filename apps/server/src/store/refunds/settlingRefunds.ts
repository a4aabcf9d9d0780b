import type { RefundTransfer } from '@payment-intents/core'
import type { Hex } from 'viem'
import type { Queryable } from '../connection/connect.ts'
import { findRefunds, type StoredRefund } from './refunds.ts'

/** The maximum of refunds in a poll. The next polls handle the others. */
const maxDue = 1_000

/** SQL of chain $1's refunds whose transfer waits for depth and proof. */
const paid = `
  select id from refunds p where chain_id = $1 and status = 'pending'
    and exists (select from transfers t where t.refund_id = p.id and not t.orphaned)`

/** SQL of chain $1's refunds that no signature can pay any longer. */
const unsigned = `
  select id from refunds p where chain_id = $1 and status = 'pending'
    and not exists (
      select from authorizations a where a.refund_id = p.id and a.status = 'in_flight'
    )`

/** Finds the refunds whose transfer waits for depth and proof. */
export async function findSettlingRefunds(
  db: Queryable,
  chainId: number,
): Promise<readonly StoredRefund[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'find-settling-refunds',
    text: `${paid} order by id limit ${maxDue}`,
    values: [chainId],
  })
  return findRefunds(
    db,
    rows.map(({ id }) => id),
  )
}

/** A refund that a poll may change. Lock its intent first. */
export type DueRefund = { readonly id: string; readonly intentId: string | null }

/**
 * Finds the refunds that a poll may change: those with the nonces of its transfers, those that lose a transfer to a
 * reorg, those that wait for depth, and those whose signature is used or over.
 */
export async function findDueRefunds(
  db: Queryable,
  poll: {
    readonly chainId: number
    /** The chain's clock, Unix seconds. */
    readonly timestamp: number
    /** The refunds with the nonces of its transfers. */
    readonly named: readonly string[]
    /** Transfers that the chain took back. */
    readonly orphaned: readonly string[]
    /** The refunds that time may change; null: all that are due. */
    readonly due: readonly string[] | null
  },
): Promise<readonly DueRefund[]> {
  const { rows } = await db.query<DueRefund>({
    name: 'find-due-refunds',
    text: `
      -- An array makes the planner use the index: the number of ended refunds only grows.
      select id, intent_id as "intentId" from refunds where id = any (array(
        select unnest($3::text[])
        union all select refund_id from transfers where id = any ($4) and refund_id is not null
        union all select id from (
          (${paid} order by id limit ${maxDue})
          union all (${unsigned} order by id limit ${maxDue})
          union all (
            select refund_id from authorizations
            where chain_id = $1 and status = 'in_flight' and valid_before <= $2
              and refund_id is not null
            order by valid_before limit ${maxDue}
          )
        ) due where $5::text[] is null or id = any ($5)
      )) order by id`,
    values: [poll.chainId, poll.timestamp, poll.named, poll.orphaned, poll.due],
  })
  return rows
}

export async function findRefundsByNonces(
  db: Queryable,
  chainId: number,
  nonces: readonly Hex[],
): Promise<readonly string[]> {
  if (nonces.length === 0) return []
  const { rows } = await db.query<{ id: string }>({
    name: 'find-refunds-by-nonces',
    text: 'select id from refunds where chain_id = $1 and refund_reference = any ($2)',
    values: [chainId, nonces],
  })
  return rows.map(({ id }) => id)
}

/**
 * Assigns canonical transfers to the refunds with their nonces. A transfer must come from an account that signed the
 * refund, with exactly the refund's amount and recipient. A refund gets no second transfer until the chain takes the
 * first back.
 * @param ids of locked refunds
 * @returns the transfers, by refund id
 */
export async function bindToRefunds(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RefundTransfer>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<RefundTransfer & { refundId: string }>({
    name: 'bind-to-refunds',
    text: `
      with named as (
        select distinct on (r.id) r.id as refund_id, t.id
        from refunds r join authorizations a on a.refund_id = r.id cross join lateral (
          select id from transfers
          where chain_id = r.chain_id and sender = a.authorizer
            and authorization_nonce = r.refund_reference and wallet = r.destination
            and amount_units = r.amount_units and token_address = r.token_address
            and refund_id is null and not orphaned
          offset 0
        ) t
        where r.id = any ($1) and not exists (
          select from transfers o where o.refund_id = r.id and not o.orphaned
        )
        order by r.id, t.id
      )
      update transfers t set refund_id = named.refund_id from named where t.id = named.id
      returning t.refund_id as "refundId", t.id, t.tx_hash as "txHash",
        t.block_number as "blockNumber", t.sender as "from"`,
    values: [ids],
  })
  return new Map(rows.map(({ refundId, ...transfer }) => [refundId, transfer]))
}
