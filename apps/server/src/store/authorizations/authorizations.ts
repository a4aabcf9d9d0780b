import type {
  AuthorizationNonce,
  AuthorizationToStore,
  AuthorizedIntent,
  ConflictingAuthorizations,
  EarlierAuthorization,
  StoredAuthorization,
} from '@payment-intents/core'
import type { Hex } from 'viem'
import { onlyRow, type Queryable } from '../connection/connect.ts'
import { isCutOff } from '../relaying/reverts.ts'

const columns = `
  intent_id as "intentId", signature, authorizer as "from", status, reason, tx_hash as "txHash",
  valid_before::float8 as "validBefore", claimed_by as "claimedBy"`

/** Finds the authorization of an account by its nonce, with the intent for which it was submitted. */
export async function findByNonce(
  db: Queryable,
  { chainId, from, nonce }: AuthorizationNonce,
): Promise<{ earlier: EarlierAuthorization; intent: AuthorizedIntent } | null> {
  const { rows } = await db.query<{ earlier: EarlierAuthorization; intent: AuthorizedIntent }>({
    name: 'find-authorization-by-nonce',
    text: `
      select row_to_json(a) as earlier,
        json_build_object('id', p.id, 'status', p.status, 'version', p.version) as intent
      from (
        select ${columns} from authorizations where chain_id = $1 and authorizer = $2 and nonce = $3
      ) a join payment_intents p on p.id = a."intentId"`,
    values: [chainId, from, nonce],
  })
  return rows[0] ?? null
}

/** Serializes the transactions that accept authorizations of an account. */
export async function lockAuthorizer(
  db: Queryable,
  { chainId, from }: Pick<StoredAuthorization, 'chainId' | 'from'>,
): Promise<void> {
  await db.query({
    name: 'lock-authorizer',
    text: `select pg_advisory_xact_lock(hashtextextended('authorizer ' || $1 || $2, 0))`,
    values: [String(chainId), from],
  })
}

/** `submitted` are the requested nonces that have authorizations. */
type SubmittedNonces = { readonly submitted: readonly Hex[] }

/**
 * Reads the records that may conflict with an authorization. The result stays true only under the locks of its intent
 * and account.
 * @param nonces of the account; the same snapshot tells which were submitted
 */
export async function findConflicting(
  db: Queryable,
  { intentId, chainId, from, nonce, codeHash }: AuthorizationToStore,
  nonces: readonly Hex[] = [],
): Promise<ConflictingAuthorizations & SubmittedNonces> {
  return onlyRow(
    await db.query<ConflictingAuthorizations & SubmittedNonces>({
      name: 'find-conflicting-authorizations',
      text: `
        select
          (select row_to_json(a) from (
            select ${columns} from authorizations
            where chain_id = $2 and authorizer = $3 and nonce = $4
          ) a) as earlier,
          exists (
            select from authorizations where intent_id = $1 and status = 'in_flight'
          ) as "isInFlight",
          (
            select coalesce(sum(amount_units), 0) from authorizations
            where chain_id = $2 and authorizer = $3 and status = 'in_flight'
              and intent_id is distinct from $1
          ) as promised,
          ${isCutOff('$2', '$3', '$6::text')} as "isCutOff",
          exists (
            select from payment_intents where payment_reference = $4 and id <> $1
          ) as "namesAnother",
          exists (
            select from payment_intents p join payment_links l on l.id = p.payment_link
            where p.id = $1 and not p.holds_place and l.payments_count >= l.max_payments
          ) as "isLinkUsedUp",
          array(
            select nonce from authorizations
            where chain_id = $2 and authorizer = $3 and nonce = any ($5)
          ) as submitted`,
      values: [intentId, chainId, from, nonce, nonces, codeHash],
    }),
  )
}

/** Whether an authorization for an intent may still move money. */
export async function isInFlight(db: Queryable, intentId: string): Promise<boolean> {
  const { rows } = await db.query({
    name: 'is-authorization-in-flight',
    text: `select from authorizations where intent_id = $1 and status = 'in_flight'`,
    values: [intentId],
  })
  return rows.length > 0
}

/**
 * Stores an authorization as `in_flight`, even if it was refused before. Wakes the relayer and the requests that wait
 * for its intent, which the transaction must have locked. A broadcast authorization keeps its claimant, since everybody
 * can submit it again.
 * @returns the intent's new version
 */
export async function storeAuthorization(
  db: Queryable,
  authorization: StoredAuthorization,
): Promise<number> {
  const { id, intentId, chainId, token, from, to, value } = authorization
  const { validAfter, validBefore, nonce, signature, source, claimant } = authorization
  const { version } = onlyRow(
    await db.query<{ version: number }>({
      name: 'store-authorization',
      text: `
        with stored as (
          insert into authorizations (id, intent_id, chain_id, token_address, authorizer, recipient,
            amount_units, valid_after, valid_before, nonce, signature, source, status, claimed_by)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'in_flight', $13)
          on conflict (chain_id, authorizer, nonce) do update set
            amount_units = excluded.amount_units, valid_after = excluded.valid_after,
            valid_before = excluded.valid_before, signature = excluded.signature,
            source = excluded.source, status = 'in_flight', reason = null, ended_at = null,
            claimed_by = case when authorizations.tx_hash is null then excluded.claimed_by
              else coalesce(authorizations.claimed_by, excluded.claimed_by) end,
            created_at = excluded.created_at
          returning intent_id
        ), changed as (
          update payment_intents set version = version + 1
          where id = (select intent_id from stored) returning version
        )
        select version, pg_notify('authorization_stored', $3::text) from changed`,
      values: [
        id,
        intentId,
        chainId,
        token,
        from,
        to,
        String(value),
        validAfter,
        validBefore,
        nonce,
        signature,
        source,
        claimant,
      ],
    }),
  )
  return version
}
