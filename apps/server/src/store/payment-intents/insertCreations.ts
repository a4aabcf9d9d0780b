import { windows } from '@payment-intents/contract'
import type { Intent, LinkPayer, StoredCreation } from '@payment-intents/core'
import { isWatchedUntil, watchingOf } from '../chains/watchedTopics.ts'
import type { Queryable } from '../connection/connect.ts'
import { wakeSenders, withFanOut } from '../events/fanOut.ts'
import { earlierCreation, type IdempotencyKey } from '../merchants/idempotencyKeys.ts'
import { entriesOf } from './metadata.ts'
import { isFree } from './reservations.ts'

/** A creation, ready to be written. */
export type NewCreation = {
  readonly intent: Intent
  /** The amount to reserve; null: none is left, or none can be reserved. */
  readonly reserved: bigint | null
  /** Whether the request named the wallet, rather than leave it to the merchant's own. */
  readonly namesWallet: boolean
  /** The earliest time that the chain's clock may have shown at the creation, in Unix milliseconds. */
  readonly since: number
  readonly eventId: string
  /** The stored response and the object of the event both start with `begin`, which is sent to the database once. */
  readonly text: { readonly begin: string; readonly response: string; readonly event: string }
  readonly key: IdempotencyKey | null
  readonly secretKey: string
  /** The payer who creates the intent on the page of its link; null: the merchant does. */
  readonly payer: LinkPayer | null
  /** Whether only the statement that covers the rare cases can write it. */
  readonly isRare: boolean
}

/** The outcome of a creation. Only `created` wrote something. The caller tries again after the last two. */
export type Inserted =
  | StoredCreation
  | { readonly type: 'amount_taken' }
  | { readonly type: 'needs_rare_cases' }

/**
 * Writes creations in a single statement, each with its reservation, event, idempotency key and watched wallet. The
 * statement writes all creations that it accepts, or none. It decides by its snapshot: if another transaction writes
 * the same key, wallet or amount meanwhile, a unique index refuses the whole statement, and it can be repeated.
 *
 * Most creations name no wallet and pay no link, and their wallet is already watched. A statement without the rare
 * cases takes a twentieth less time.
 *
 * No two creations may have the same key, or the same amount at a wallet.
 */
export async function insertCreations(
  db: Queryable,
  creations: readonly NewCreation[],
): Promise<Inserted[]> {
  const withRareCases = creations.some(({ isRare, namesWallet }) => isRare || namesWallet)
  const { rows } = await db.query<Row>({
    name: withRareCases ? 'insert-rare-creations' : 'insert-creations',
    text: withRareCases ? rareStatement : statement,
    values: [JSON.stringify(creations.map(toRow))],
  })
  const inserted = creations.map(({ text, secretKey }): Inserted => {
    return { type: 'created', response: text.begin + text.response, secretKey }
  })
  for (const row of rows) {
    const creation = row.n === null ? undefined : creations[row.n]
    if (row.n !== null && creation) inserted[row.n] = outcomeOf(row, creation)
  }
  return inserted
}

/** A creation that was not written. */
type Row = {
  /** Its index; null: the row only makes PostgreSQL run the other parts of the statement. */
  n: number | null
  outcome:
    | 'replayed'
    | 'wallet_taken'
    | 'no_payable_amount_left'
    | 'amount_taken'
    | 'needs_rare_cases'
  request_hash: Buffer
  response: string
  secret_key: string
}

function outcomeOf(
  { outcome, request_hash, response, secret_key }: Row,
  { key }: NewCreation,
): Inserted {
  if (outcome !== 'replayed') return { type: outcome }
  const hash = request_hash.toString('hex')
  return earlierCreation({ hash, response, secretKey: secret_key }, key)
}

function toRow(creation: NewCreation, n: number) {
  const { intent, key } = creation
  const until = intent.expiresAt + windows.late
  return {
    n,
    id: intent.id,
    merchant: intent.merchantId,
    mode: intent.mode,
    chain: intent.chain,
    chain_id: intent.chainId,
    token: intent.token,
    wallet: intent.wallet,
    amount: String(intent.amount),
    payable: String(intent.payable),
    reserved: creation.reserved === null ? null : String(creation.reserved),
    reference: intent.reference,
    salt: intent.salt,
    depth: intent.confirmationsRequired,
    lane: intent.lane,
    // PostgreSQL reads an absent field as null.
    link: intent.paymentLink ?? undefined,
    metadata: intent.metadata,
    entries: entriesOf(intent.metadata).map((entry) => `\\x${entry.toString('hex')}`),
    created: intent.createdAt,
    expires: intent.expiresAt,
    minutes: intent.expiresInMinutes,
    since: creation.since,
    until,
    names: creation.namesWallet,
    event: creation.eventId,
    text: creation.text.begin,
    object: creation.text.event,
    ...(key && {
      route: key.route,
      key: key.key,
      hash: bytea(key.hash),
      response: creation.text.response,
      secret_key: creation.secretKey,
    }),
    ...(creation.payer && {
      visitor: bytea(creation.payer.visitor),
      client: bytea(creation.payer.client),
    }),
  }
}

/** @param hex with or without `0x` */
function bytea(hex: string): string {
  return `\\x${hex.replace(/^0x/, '')}`
}

/**
 * Scalar subqueries probe an index for each creation. A join could become a join of whole tables, in a plan that was
 * made while the tables were empty.
 */
const decidedOf = (withRareCases: boolean) => `
  select a.*, o.owns, k.request_hash, k.response as stored_response, k.secret_key as stored_secret_key,
    k.created_at is not null as has_expired,
    case
      -- A stored response is repeated. If the body differs, the wallet is checked before the key.
      when k.created_at >= now() - interval '${windows.idempotency} seconds'
        and (k.request_hash = a.hash or o.owns is not false) then 'replayed'
      when not o.owns then 'wallet_taken'
      when a.reserved is null and a.lane = 'manual' then 'no_payable_amount_left'
      -- An amount that another creation is about to take counts as taken, so that creations of the same price never wait.
      when a.reserved is not null and not (${isFree('a.chain_id', 'a.wallet', 'a.reserved')}
        and pg_try_advisory_xact_lock(hashtextextended(a.wallet || ':' || a.reserved, a.chain_id)))
        then 'amount_taken'
      ${withRareCases ? '' : `when k.created_at is not null or not ${isWatched} then 'needs_rare_cases'`}
      else 'created'
    end as outcome
  from input a
  left join lateral (
    select * from idempotency_keys
    where merchant_id = a.merchant and mode = a.mode and route = a.route and key = a.key
    limit 1
  ) k on true
  cross join lateral (
    select coalesce(${hasProven}, ${withRareCases ? mayName : 'true'}) as owns offset 0
  ) o`

const isWatched = isWatchedUntil('a.chain_id', 'a.wallet', 'to_timestamp(a.until)')

/** Whether the merchant is among those who have proven the wallet; null: nobody has. A proof outranks other claims. */
const hasProven = `
  (select bool_or(merchant_id = a.merchant) from wallet_proofs
    where address = a.wallet and (chain_id is null or chain_id = a.chain_id))`

/** Whether an unproven address belongs to the merchant; null: nobody has named it yet. */
const mayName = `
  case when a.names then coalesce(
    (select bool_or(merchant_id = a.merchant) from (
      select merchant_id from merchant_wallets where address = a.wallet and mode = a.mode
      union all
      select merchant_id from allowed_wallets where address = a.wallet
    ) listed),
    (select merchant_id = a.merchant from wallet_owners where mode = a.mode and address = a.wallet)
  ) else true end`

/** Runs a CTE after another: all statements write their rows in the same order, so that they cannot deadlock. */
const after = (cte: string) => `(select count(*) from ${cte}) is not null`

/** Deletes expired keys that are used again. */
const expired = `
  expired as (
    delete from idempotency_keys k using new
    where new.has_expired and k.merchant_id = new.merchant and k.mode = new.mode
      and k.route = new.route and k.key = new.key
    returning 1
  ),`

/** Assigns wallets that are named for the first time to their merchants, and has wallets watched. */
const watched = `
  owners as (
    insert into wallet_owners (mode, address, merchant_id)
    select distinct mode, wallet, merchant from new
    where owns is null and ${after('keys')}
    order by mode, wallet
    returning 1
  ),
  watched as (
    ${watchingOf(`
      select chain_id, wallet as topic, to_timestamp(min(since) / 1000) as since,
        to_timestamp(max(until)) as until
      from new where ${after('owners')} group by chain_id, wallet order by chain_id, wallet`)}
    returning 1
  ),`

/** Stores which visitor created the intent of a link. */
const visits = `,
  visits as (
    insert into link_visits (intent_id, link_id, visitor, client, expires_at)
    select id, link, visitor, client, to_timestamp(expires) from new where visitor is not null
  )`

const statementOf = (withRareCases: boolean) => `
  with input as materialized (
    select * from json_to_recordset($1) as (
      n integer, id text, merchant text, mode text, chain text, chain_id integer, token text,
      wallet text, amount bigint, payable bigint, reserved bigint, reference text, salt text,
      depth integer, lane text, link text, metadata text, entries bytea[], created float8, expires float8,
      minutes integer, since float8, until float8, names boolean, event text, text text, object text,
      route text, key text, hash bytea, response text, secret_key text, visitor bytea, client bytea
    )
  ),
  decided as materialized (${decidedOf(withRareCases)}),
  new as materialized (select * from decided where outcome = 'created'),
  ${withRareCases ? expired : ''}
  keys as (
    insert into idempotency_keys (merchant_id, mode, route, key, request_hash, response, secret_key)
    select merchant, mode, route, key, hash, text || response, secret_key from new
    where key is not null ${withRareCases ? `and ${after('expired')}` : ''}
    order by merchant, mode, route, key
    returning 1
  ),
  ${withRareCases ? watched : ''}
  reserved as (
    insert into payable_reservations
      (chain_id, wallet, payable_amount_units, intent_id, since_block, since, until)
    select new.chain_id, wallet, reserved, id, c.scanned_to + 1,
      case when c.scanned_to is null then to_timestamp(since / 1000) - interval '2 seconds' end,
      to_timestamp(until)
    from new left join chain_cursors c
      on c.chain_id = new.chain_id and c.scanned_at > now() - interval '10 seconds'
    where reserved is not null and ${after(withRareCases ? 'watched' : 'keys')}
    order by new.chain_id, wallet, reserved
  ),
  intents as (
    insert into payment_intents (
      id, merchant_id, mode, chain, chain_id, token_address, expected_wallet, amount_units,
      payable_amount_units, reference_only, payment_reference, salt, confirmations_required, lane,
      payment_link, metadata, created_at, expires_at, expires_in_minutes, status, version, sequence,
      amount_received_units, confirmations, exceptions
    )
    select id, merchant, mode, chain, chain_id, token, wallet, amount,
      payable, reserved is null, reference, salt, depth, lane,
      link, metadata, to_timestamp(created / 1000), to_timestamp(expires), minutes, 'requires_payment', 1, 1,
      0, 0, '{}'
    from new
  ),
  metadata as (
    insert into payment_intent_metadata (merchant_id, mode, entry, intent_id)
    select merchant, mode, entry, id from new, unnest(entries) as entry
  )${withRareCases ? visits : ''},
  ${withFanOut(`
    insert into events
      (id, merchant_id, mode, type, intent_id, payment_link, sequence, created_at, object)
    select event, merchant, mode, 'payment_intent.created', id, link, 1, to_timestamp(created / 1000),
      text || object
    from new`)}
  select n, outcome, request_hash, stored_response as response, stored_secret_key as secret_key
  from decided where outcome <> 'created'
  union all select null, null, null, null, null from (${wakeSenders}) as woken`

const statement = statementOf(false)
const rareStatement = statementOf(true)
