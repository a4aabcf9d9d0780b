import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Queryable } from '../connection/connect.ts'
import { joinSubjects, type SubjectState } from './subjects.ts'

/** An authorization that no pending or mined transaction carries. */
export type Waiting = {
  readonly id: string
  readonly intentId: string | null
  /** The refund that it pays; null: it pays an intent. */
  readonly refundId: string | null
  readonly merchantId: string
  readonly token: Address
  readonly authorizer: Address
  readonly recipient: Address
  readonly amount: bigint
  /** Unix seconds, like `validBefore`. */
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
  readonly signature: Hex
  readonly createdAt: Date
  readonly subjectState: SubjectState
  /** Whether a transaction with it was ever recorded, so that the chain's nodes may know it. */
  readonly wasRecorded: boolean
  /**
   * The last block of the follower's reread at 30 blocks. Every block up to it was read twice. null: there was no
   * reread yet.
   */
  readonly rereadTo: bigint | null
}

/** The number of final transactions, all reverted, after which an authorization or an intent is not broadcast again. */
const maxFinalReverts = { authorization: 3, intent: 6 } as const

const wasRecorded = `
  (a.tx_hash is not null
    or exists (select from relayer_transactions t where t.authorization_id = a.id))`

const waitingColumns = `
  a.id, a.intent_id as "intentId", a.refund_id as "refundId",
  coalesce(p.merchant_id, r.merchant_id) as "merchantId", a.token_address as token,
  a.authorizer, a.recipient, a.amount_units as amount, a.valid_after as "validAfter",
  a.valid_before as "validBefore", a.nonce, a.signature, a.created_at as "createdAt",
  case when a.refund_id is not null then 'unpaid'
    when p.status = 'requires_payment' and p.amount_received_units = 0 then 'unpaid'
    when p.amount_received_units > 0 then 'paid' else 'ended' end as "subjectState",
  ${wasRecorded} as "wasRecorded",
  (select c.reread_to[1] from chain_cursors c where c.chain_id = a.chain_id) as "rereadTo"`

/**
 * SQL that tells whether an authorization is in flight without a pending or mined transaction, and below the limits of
 * reverts.
 */
const isWaiting = `
  a.status = 'in_flight'
  and not exists (
    select from relayer_transactions t
    where t.authorization_id = a.id and (t.state in ('pending', 'mined') or t.succeeded)
  )
  and (
    select count(*) from relayer_transactions t where t.authorization_id = a.id and t.state = 'final'
  ) < ${maxFinalReverts.authorization}
  and (
    select count(*) from authorizations b join relayer_transactions t on t.authorization_id = b.id
    where b.intent_id = a.intent_id and t.state = 'final'
  ) < ${maxFinalReverts.intent}`

/** The maximum of an account's authorizations that are read or are in pending transactions. */
export const maxOfAccount = 50

/**
 * Reads authorizations that wait for a first or repeated broadcast, payments before refunds. Merchants take turns, and
 * so do the accounts of a merchant, so that nobody's many authorizations delay another's only authorization.
 */
export async function readWaiting(
  db: Queryable,
  of: {
    chainId: number
    /** The chain's clock, in Unix seconds: an expired authorization is skipped. */
    timestamp: number
    /** Merchants that have reached their limit. */
    withoutMerchants: readonly string[]
    /** Accounts that are cut off. */
    withoutAccounts: readonly string[]
    /** Ids of authorizations that the relayer has backed off from. */
    except: readonly string[]
    /** false: those that were never broadcast; true: those that may be broadcast again. */
    wasRecorded: boolean
    limit: number
  },
): Promise<Waiting[]> {
  const { rows } = await db.query<Waiting>({
    name: 'read-waiting',
    text: `
      with pending as (
        select b.authorizer, count(distinct b.id) as count
        from relayer_transactions t join authorizations b on b.id = t.authorization_id
        where t.chain_id = $1 and t.state = 'pending' group by b.authorizer
      ), waiting as (
        select a.id, coalesce(p.merchant_id, r.merchant_id) as merchant_id,
          a.refund_id is not null as is_refund, coalesce(n.count, 0)
          + row_number() over (partition by a.authorizer order by a.id) as account_rank
        from authorizations a ${joinSubjects}
        left join pending n on n.authorizer = a.authorizer
        where a.chain_id = $1 and a.valid_before > $2
          and coalesce(p.merchant_id, r.merchant_id) <> all ($3)
          and a.authorizer <> all ($4) and a.id <> all ($5) and ${wasRecorded} = $6 and ${isWaiting}
      ), ranked as (
        select id, is_refund, account_rank, row_number() over (
            partition by is_refund, merchant_id order by account_rank, id
          ) as merchant_rank
        from waiting where account_rank <= ${maxOfAccount}
        order by is_refund, merchant_rank, account_rank, id limit $7
      )
      select ${waitingColumns} from ranked
      join authorizations a on a.id = ranked.id ${joinSubjects}
      order by is_refund, merchant_rank, account_rank, a.id`,
    values: [
      of.chainId,
      of.timestamp,
      of.withoutMerchants,
      of.withoutAccounts,
      of.except,
      of.wasRecorded,
      of.limit,
    ],
  })
  return rows
}

/**
 * Finds the authorizations that may still be broadcast: they wait, and their intent or refund is not paid. The
 * transaction must have locked the subjects.
 */
export async function findBroadcastable(
  db: Queryable,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: 'find-broadcastable',
    text: `
      select a.id from authorizations a ${joinSubjects}
      where a.id = any ($1) and ${isWaiting} and (
        r.status = 'pending' or p.status = 'requires_payment' and p.amount_received_units = 0
      )`,
    values: [ids],
  })
  return new Set(rows.map(({ id }) => id))
}
