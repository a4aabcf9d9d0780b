import { windows } from '@payment-intents/contract'
import type { Queryable } from '../connection/connect.ts'
import type { Brand } from '../merchants/brands.ts'

/** Per intent. Beyond it, newer tokens replace older ones. */
const maxTokens = 5
/** Per intent. Beyond it, newer sessions replace older ones. */
const maxSessions = 20

type Stored = {
  readonly hash: Buffer
  readonly intentId: string
  readonly returnUrl: string | null
}

/** A session of the hosted page. */
export type CheckoutSession = {
  readonly intentId: string
  readonly returnUrl: string | null
  /** Seconds until the session ends. */
  readonly seconds: number
  /** The merchant's brand; null: the page keeps its own. */
  readonly brand: Brand | null
}

/** @returns the time at which the token expires; null: the intent has ended, or was deleted */
export async function insertHandoff(db: Queryable, token: Stored): Promise<Date | null> {
  const { rows } = await db.query<{ expiresAt: Date }>({
    name: 'insert-handoff',
    text: `
      with replaced as (
        delete from handoff_tokens where hash in (
          select hash from handoff_tokens where intent_id = $2
          order by created_at desc offset ${maxTokens - 1}
        )
      )
      insert into handoff_tokens (hash, intent_id, return_url, expires_at)
      select $1, id, $3, least(now() + interval '${windows.handoff} seconds', deadline)
      from payment_intents p cross join lateral (
        -- The deadline by the database's clock, which may differ from the chain's by minutes.
        select p.expires_at - coalesce(
          (select clock_ahead_ms from chain_cursors c where c.chain_id = p.chain_id), 0
        ) * interval '1 millisecond' as deadline
      ) d
      where id = $2 and status in ('requires_payment', 'pending_confirmations') and deadline > now()
      returning expires_at as "expiresAt"`,
    values: [token.hash, token.intentId, token.returnUrl],
  })
  return rows[0]?.expiresAt ?? null
}

/**
 * Exchanges a token for a session. Of two concurrent requests, the second waits for the first and finds no token.
 * @returns null: the token does not exist, was used or has expired, or its intent has ended
 */
export async function spendHandoff(
  db: Queryable,
  { token, session }: { token: Buffer; session: Buffer },
): Promise<CheckoutSession | null> {
  const { rows } = await db.query<CheckoutSession>({
    name: 'spend-handoff',
    text: `
      with spent as (
        delete from handoff_tokens t using payment_intents p
        where t.hash = $1 and t.expires_at > now() and p.id = t.intent_id
          and p.status in ('requires_payment', 'pending_confirmations')
        returning t.intent_id, t.return_url, p.expires_at
      ), ${replacedSessions('(select intent_id from spent)')}
      insert into checkout_sessions (hash, intent_id, return_url, expires_at)
      select $2, intent_id, return_url, ${sessionEnd} from spent ${returningSession}`,
    values: [token, session],
  })
  return rows[0] ?? null
}

/**
 * Creates a session for a holder of the client secret.
 * @returns null: the intent was deleted, or ended long ago
 */
export async function insertSession(
  db: Queryable,
  session: Stored,
): Promise<CheckoutSession | null> {
  const { rows } = await db.query<CheckoutSession>({
    name: 'insert-checkout-session',
    text: `
      with ${replacedSessions('$2')}
      insert into checkout_sessions (hash, intent_id, return_url, expires_at)
      select $1, id, $3, ${sessionEnd} from payment_intents
      where id = $2 and ${sessionEnd} > now() ${returningSession}`,
    values: [session.hash, session.intentId, session.returnUrl],
  })
  return rows[0] ?? null
}

/** Finds the newest session of an intent. There may be several hashes, since a sibling domain can add cookies. */
export async function findSession(
  db: Queryable,
  { hashes, intentId }: { hashes: readonly Buffer[]; intentId: string },
): Promise<CheckoutSession | null> {
  const { rows } = await db.query<CheckoutSession>({
    name: 'find-checkout-session',
    text: `
      select ${sessionColumns} from checkout_sessions
      where hash = any($1) and intent_id = $2 and expires_at > now()
      order by created_at desc limit 1`,
    values: [hashes, intentId],
  })
  return rows[0] ?? null
}

/**
 * Deletes a step of the tokens and sessions that expired before a time.
 * @param before Unix milliseconds
 * @returns null: none are left
 */
export async function deleteHandoffs(
  db: Queryable,
  { before, limit }: { before: number; limit: number },
): Promise<string | null> {
  const { rowCount } = await db.query({
    name: 'delete-handoffs',
    text: `
      with tokens as (
        delete from handoff_tokens where hash = any(array(
          select hash from handoff_tokens where expires_at < $1 order by expires_at limit $2
        )) returning 1
      ), sessions as (
        delete from checkout_sessions where hash = any(array(
          select hash from checkout_sessions where expires_at < $1 order by expires_at limit $2
        )) returning 1
      )
      select from tokens union all select from sessions`,
    values: [new Date(before), limit],
  })
  return (rowCount ?? 0) < limit ? null : ''
}

/** A session lasts as long as a payment may arrive, so that the page can show the outcome. */
const sessionEnd = `expires_at + interval '${windows.late} seconds'`

const sessionColumns = `
  intent_id as "intentId", return_url as "returnUrl",
  extract(epoch from expires_at - now())::int as seconds, (
    select json_build_object('accent', b.accent, 'logo', b.logo_hash)
    from payment_intents p join merchant_brands b using (merchant_id)
    where p.id = checkout_sessions.intent_id
  ) as brand`

const returningSession = `returning ${sessionColumns}`

function replacedSessions(intentId: string): string {
  return `replaced as (
    delete from checkout_sessions where hash in (
      select hash from checkout_sessions where intent_id = ${intentId}
      order by created_at desc offset ${maxSessions - 1}
    )
  )`
}
