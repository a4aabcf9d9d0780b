import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Queryable } from '../connection/connect.ts'
import { asText } from '../lists/values.ts'
import { updatePlacesOf } from '../payment-links/places.ts'

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
  /** The state of the intent that it pays. A refund is always `unpaid`. */
  readonly subjectState: 'unpaid' | 'paid' | 'ended'
  /** Whether a transaction with it was ever recorded, so that the chain's nodes may know it. */
  readonly wasRecorded: boolean
  /** The last block up to which the follower has read every block twice; null: none yet. */
  readonly rereadTo: bigint | null
}

/** The maximum of final reverts of an authorization, and of an intent. */
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

/** SQL that joins the intent `p` or the refund `r` that an authorization `a` pays. */
const joinSubjects = `
  left join payment_intents p on p.id = a.intent_id left join refunds r on r.id = a.refund_id`

/** SQL that tells whether an authorization is in flight without a transaction, and below the limits of reverts. */
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
    /** Authorizations that are deferred. */
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
 * Locks the intents and refunds of authorizations until the transaction ends. Skips those that another transaction has
 * locked, so that they do not delay the rest.
 * @returns the authorizations whose intent or refund is locked
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

/**
 * Finds the authorizations that may still be broadcast: they wait, and their intent or refund is not paid. The
 * transaction must have locked the intents and refunds.
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

/** An authorization that will not be broadcast again. */
export type Refused = {
  readonly id: string
  readonly reason: string
  /** The block as of which its nonce was used or revoked; undefined: it was never broadcast. */
  readonly usedAtBlock?: bigint
}

/**
 * Ends authorizations whose intents and refunds the transaction has locked. A payer's authorization that was never
 * broadcast ends at once. An authorization with a used nonce ends when every block up to `usedAtBlock` was read twice
 * and no transaction in them is deferred: by then its payment was found, even if a node first returned no transfers of
 * a new block.
 */
export async function refuseAuthorizations(
  db: Queryable,
  refused: readonly Refused[],
): Promise<void> {
  if (refused.length === 0) return
  const { rows } = await db.query<{ id: string }>({
    name: 'refuse-authorizations',
    text: `
      with refused as (
        update authorizations a set status = 'refused', reason = r.reason, ended_at = now()
        from json_to_recordset($1) as r (id text, reason text, "usedAtBlock" bigint)
        where a.id = r.id and a.status = 'in_flight' and case
          when r."usedAtBlock" is not null then exists (
            select from chain_cursors c where c.chain_id = a.chain_id
              and least(c.scanned_to, c.reread_to[1]) >= r."usedAtBlock"
          ) and not exists (
            select from deferred_transactions s
            where s.chain_id = a.chain_id and s.block_number <= r."usedAtBlock"
          )
          else a.tx_hash is null and a.refund_id is null
            and not exists (select from relayer_transactions t where t.authorization_id = a.id)
        end
        returning a.intent_id
      )
      update payment_intents set version = version + 1
      where id in (select intent_id from refused) returning id`,
    values: [JSON.stringify(refused, asText)],
  })
  if (rows.length > 0) {
    await updatePlacesOf(
      db,
      rows.map(({ id }) => id),
    )
  }
}

/** Marks authorizations whose nonce was used, but not by a transaction of a relayer. They are then not withdrawn. */
export async function markNoncesUsed(db: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.query({
    name: 'mark-nonces-used',
    text: `
      update authorizations set nonce_used_at = now()
      where id = any ($1) and status = 'in_flight' and nonce_used_at is null`,
    values: [ids],
  })
}
