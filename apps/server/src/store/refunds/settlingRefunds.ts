import type { Address } from '@payment-intents/contract'
import type { Refund } from '@payment-intents/core'
import type { Hex } from 'viem'
import type { Queryable } from '../connection/connect.ts'
import { findRefunds, type StoredRefund } from './refunds.ts'

/** Of one reading, at most: the rest comes with the next ones. */
const dueAtMost = 1_000

/** Of chain $1, refunds with a transfer that waits for depth and proof. */
const paid = `
  select id from refunds p where chain_id = $1 and status = 'pending'
    and exists (select from transfers t where t.refund_id = p.id and not t.orphaned)`

/** Of chain $1, refunds that no signature can pay any more. */
const unsigned = `
  select id from refunds p where chain_id = $1 and status = 'pending'
    and not exists (
      select from authorizations a where a.refund_id = p.id and a.status = 'in_flight'
    )`

/** Refunds whose transfers wait for depth and proof. */
export async function findSettlingRefunds(
  db: Queryable,
  chainId: number,
): Promise<readonly StoredRefund[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'find-settling-refunds',
    text: `${paid} order by id limit ${dueAtMost}`,
    values: [chainId],
  })
  return findRefunds(
    db,
    rows.map(({ id }) => id),
  )
}

/** A refund that a reading may change, with its intent, which is locked before it. */
export type DueRefund = { readonly id: string; readonly intentId: string | null }

/**
 * The refunds that a reading may change: those that the nonces of its transfers name, those that lose one to a reorg, those that wait for
 * depth, and those whose signature is used or over.
 */
export async function findDueRefunds(
  db: Queryable,
  reading: {
    readonly chainId: number
    /** The chain's clock, Unix seconds. */
    readonly timestamp: number
    /** Those that the nonces of its transfers name. */
    readonly named: readonly string[]
    /** Transfers that the chain took back. */
    readonly orphaned: readonly string[]
    /** Only these of the refunds that time has changed; null: all. */
    readonly due: readonly string[] | null
  },
): Promise<readonly DueRefund[]> {
  const { rows } = await db.query<DueRefund>({
    name: 'find-due-refunds',
    text: `
      select id, intent_id as "intentId" from refunds where id in (
        select unnest($3::text[])
        union all select refund_id from transfers where id = any ($4) and refund_id is not null
        union all select id from (
          (${paid} order by id limit ${dueAtMost})
          union all (${unsigned} order by id limit ${dueAtMost})
          union all (
            select refund_id from authorizations
            where chain_id = $1 and status = 'in_flight' and valid_before <= $2
              and refund_id is not null
            order by valid_before limit ${dueAtMost}
          )
        ) due where $5::text[] is null or id = any ($5)
      ) order by id`,
    values: [reading.chainId, reading.timestamp, reading.named, reading.orphaned, reading.due],
  })
  return rows
}

/** What a nonce has to pay. Addresses are lower-case. */
export type NamedRefund = Pick<Refund, 'id' | 'from' | 'token' | 'amount'> & {
  readonly destination: Address | null
}

/** Refunds by the nonces that name them. */
export async function findByNonces(
  db: Queryable,
  chainId: number,
  nonces: readonly Hex[],
): Promise<ReadonlyMap<Hex, NamedRefund>> {
  if (nonces.length === 0) return new Map()
  const { rows } = await db.query<NamedRefund & { reference: Hex }>({
    name: 'find-refunds-by-nonces',
    text: `
      select id, from_address as "from", token_address as token, amount_units as amount,
        destination, refund_reference as reference
      from refunds where chain_id = $1 and refund_reference = any ($2)`,
    values: [chainId, nonces],
  })
  return new Map(rows.map((row) => [row.reference, row]))
}
