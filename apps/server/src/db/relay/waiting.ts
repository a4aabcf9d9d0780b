import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Queryable } from '../connect.ts'
import { asText } from '../values.ts'

/** An authorization that no transaction carries now. */
export type Waiting = {
  readonly id: string
  readonly intentId: string
  readonly merchantId: string
  readonly token: Address
  readonly authorizer: Address
  readonly recipient: Address
  readonly amount: bigint
  /** Unix seconds, as `validBefore`. */
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
  readonly signature: Hex
  readonly createdAt: Date
  /** What the authorization is for may have been paid or ended otherwise. */
  readonly intent: 'unpaid' | 'paid' | 'ended'
  /** A transaction that carried it was recorded or mined, so it may be known to the chain's nodes. */
  readonly wasSubmitted: boolean
  /** It was handed in so long ago that its payer is to pay otherwise, unless it can be submitted now. */
  readonly isOverdue: boolean
  /** The chain's reader has read every block up to this one twice; null: none yet. */
  readonly rereadTo: bigint | null
}

/** For how long a payer waits for what cannot be afforded now: the other ways to pay are closed meanwhile. */
const patienceSeconds = 60

/** How often something is tried; what counts is on the chain for good. */
const tries = {
  /** Of one authorization, when each is reverted. */
  authorization: 3,
  intent: 6,
  /** Reverted ones of all authorizations of an account in a day: an honest one has none. */
  payerDay: 10,
} as const

const waitingColumns = `
  a.id, a.intent_id as "intentId", p.merchant_id as "merchantId", a.token_address as token,
  a.authorizer, a.recipient, a.amount_units as amount, a.valid_after as "validAfter",
  a.valid_before as "validBefore", a.nonce, a.signature, a.created_at as "createdAt",
  case when p.status = 'requires_payment' and p.amount_received_units = 0 then 'unpaid'
    when p.amount_received_units > 0 then 'paid' else 'ended' end as intent,
  a.tx_hash is not null
    or exists (select from relayer_transactions t where t.authorization_id = a.id) as "wasSubmitted",
  a.created_at < now() - interval '${patienceSeconds} seconds' as "isOverdue",
  (select c.reread_to[1] from chain_cursors c where c.chain_id = a.chain_id) as "rereadTo"`

/** Whether too many transactions for an account were reverted in a day, which somebody else's submission did not cause. */
export function isWornOut(chainId: string, authorizer: string): string {
  return `
    (
      select count(*) from relayer_transactions t join authorizations b on b.id = t.authorization_id
      where t.chain_id = ${chainId} and t.succeeded = false and b.status <> 'used'
        and t.created_at > now() - interval '1 day' and b.authorizer = ${authorizer}
    ) >= ${tries.payerDay}`
}

/** Neither under way nor on the chain, and tried less often than the limits allow. */
const isWaiting = `
  a.status = 'in_flight'
  and not exists (
    select from relayer_transactions t
    where t.authorization_id = a.id and (t.state in ('pending', 'mined') or t.succeeded)
  )
  and (
    select count(*) from relayer_transactions t where t.authorization_id = a.id and t.state = 'final'
  ) < ${tries.authorization}
  and (
    select count(*) from authorizations b join relayer_transactions t on t.authorization_id = b.id
    where b.intent_id = a.intent_id and t.state = 'final'
  ) < ${tries.intent}
  and not (${isWornOut('a.chain_id', 'a.authorizer')})`

/** The oldest authorizations that wait to be submitted. */
export async function readWaiting(
  db: Queryable,
  of: {
    chainId: number
    /** The chain's clock, Unix seconds: what is not valid any more waits for nothing. */
    timestamp: number
    /** Merchants whose limit is reached. */
    without: readonly string[]
    /** Authorizations that were looked at a moment ago. */
    except: readonly string[]
    most: number
  },
): Promise<Waiting[]> {
  const { rows } = await db.query<Waiting>({
    name: 'read-waiting',
    text: `
      select ${waitingColumns} from authorizations a join payment_intents p on p.id = a.intent_id
      where a.chain_id = $1 and a.valid_before > $2 and p.merchant_id <> all ($3)
        and a.id <> all ($4) and ${isWaiting}
      order by a.id limit $5`,
    values: [of.chainId, of.timestamp, of.without, of.except, of.most],
  })
  return rows
}

/** Reads those of them that still wait, and keeps their intents from changing until the transaction ends. */
export async function lockWaiting(db: Queryable, ids: readonly string[]): Promise<Waiting[]> {
  await db.query({
    name: 'lock-waiting',
    text: `
      select from payment_intents
      where id in (select intent_id from authorizations where id = any ($1)) order by id for update`,
    values: [ids],
  })
  const { rows } = await db.query<Waiting>({
    name: 'read-locked-waiting',
    text: `
      select ${waitingColumns} from authorizations a join payment_intents p on p.id = a.intent_id
      where a.id = any ($1) and ${isWaiting} order by a.id`,
    values: [ids],
  })
  return rows
}

/** An authorization that is not submitted any more. */
export type Refused = {
  readonly id: string
  readonly reason: string
  /** The block as of which its nonce was used or revoked; absent: it was never submitted. */
  readonly usedBy?: bigint
}

/**
 * Ends authorizations that were never submitted, and those whose nonce is gone, once every block up to that one was read
 * twice and no transaction in them is left unread: a payment by them is found by then. A node may answer that a fresh
 * block has no transfers, and a transaction may be too large to read. Their intents are locked already.
 */
export async function refuseAuthorizations(
  db: Queryable,
  refused: readonly Refused[],
): Promise<void> {
  if (refused.length === 0) return
  await db.query({
    name: 'refuse-authorizations',
    text: `
      with refused as (
        update authorizations a set status = 'refused', reason = r.reason, ended_at = now()
        from json_to_recordset($1) as r (id text, reason text, "usedBy" bigint)
        where a.id = r.id and a.status = 'in_flight' and case
          when r."usedBy" is not null then exists (
            select from chain_cursors c where c.chain_id = a.chain_id
              and least(c.scanned_to, c.reread_to[1]) >= r."usedBy"
          ) and not exists (
            select from deferred_transactions s
            where s.chain_id = a.chain_id and s.block_number <= r."usedBy"
          )
          else a.tx_hash is null
            and not exists (select from relayer_transactions t where t.authorization_id = a.id)
        end
        returning a.intent_id
      ), changed as (
        update payment_intents set version = version + 1
        where id in (select intent_id from refused) returning id
      )
      select pg_notify('payment_intent_changed', id) from changed`,
    values: [JSON.stringify(refused, asText)],
  })
}
