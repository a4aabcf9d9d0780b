import type { Mode } from '@payment-intents/contract'
import type { Merchant } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'
import { merchantColumn } from '../merchants/apiKeys.ts'
import { type Person, personColumns } from './people.ts'

/** Times are in Unix milliseconds. */
export type Session = {
  readonly id: string
  readonly userAgent: string
  readonly createdAt: number
  readonly expiresAt: number
  /** The time at which the person last proved who they are. */
  readonly verifiedAt: number
  readonly lastUsedAt: number
}

/** @param session `hash` is the SHA-256 of the cookie's value */
export async function insertSession(
  db: Queryable,
  session: Omit<Session, 'lastUsedAt'> & { readonly hash: Buffer; readonly personId: string },
): Promise<void> {
  await db.query({
    name: 'insert-session',
    text: `
      insert into sessions (id, hash, person_id, user_agent, created_at, expires_at, verified_at, last_used_at)
      select $1, $2, $3, $4, created, to_timestamp($6::float8 / 1000), to_timestamp($7::float8 / 1000), created
      from (select to_timestamp($5::float8 / 1000) as created) t`,
    values: [
      ...[session.id, session.hash, session.personId, session.userAgent],
      ...[session.createdAt, session.expiresAt, session.verifiedAt],
    ],
  })
}

const columns = `s.id, s.user_agent as "userAgent", ${[
  'created_at',
  'expires_at',
  'verified_at',
  'last_used_at',
]
  .map((name) => `(extract(epoch from s.${name}) * 1000)::float8 as "${camel(name)}"`)
  .join(', ')}`

export type SignedIn = {
  readonly session: Session
  readonly person: Person
  readonly merchantName: string
  /** Has the configuration of the requested mode. */
  readonly merchant: Merchant
}

/**
 * Finds the session of a cookie. Reads the person's role and the merchant each time, so that a demotion or removal
 * takes effect at once.
 * @param now Unix milliseconds
 * @returns null: no such session, or it has ended
 */
export async function findSession(
  db: Queryable,
  { hash, mode, now }: { hash: Buffer; mode: Mode; now: number },
): Promise<SignedIn | null> {
  const { rows } = await db.query<SignedIn>({
    name: 'find-session',
    text: `
      select row_to_json(session) as session, row_to_json(person) as person, m.name as "merchantName",
        ${merchantColumn('$2::text')} as merchant
      from sessions s
        join people p on p.id = s.person_id
        join merchants m on m.id = p.merchant_id
        cross join lateral (select ${columns}) session
        cross join lateral (select ${personColumns}) person
      where s.hash = $1 and s.revoked_at is null and s.expires_at > to_timestamp($3::float8 / 1000)
        and p.removed_at is null and m.closed_at is null`,
    values: [hash, mode, now],
  })
  return rows[0] ?? null
}

/** @param now Unix milliseconds */
export async function storeSessionUse(db: Queryable, id: string, now: number): Promise<void> {
  await db.query({
    name: 'store-session-use',
    text: `
      update sessions set last_used_at = to_timestamp($2::float8 / 1000) where id = $1`,
    values: [id, now],
  })
}

/** @param now Unix milliseconds */
export async function verifySession(db: Queryable, id: string, now: number): Promise<void> {
  await db.query({
    name: 'verify-session',
    text: 'update sessions set verified_at = to_timestamp($2::float8 / 1000) where id = $1',
    values: [id, now],
  })
}

export type ListedSession = Session & { readonly personId: string; readonly personName: string }

/**
 * Lists active sessions, newest first.
 * @param personId null: of all people of the merchant
 */
export async function listSessions(
  db: Queryable,
  { merchantId, personId, now }: { merchantId: string; personId: string | null; now: number },
): Promise<ListedSession[]> {
  const { rows } = await db.query<ListedSession>({
    name: 'list-sessions',
    text: `
      select ${columns}, p.id as "personId", p.name as "personName"
      from people p join sessions s on s.person_id = p.id
      where p.merchant_id = $1 and ($2::text is null or p.id = $2)
        and s.revoked_at is null and s.expires_at > to_timestamp($3::float8 / 1000)
      order by s.id desc`,
    values: [merchantId, personId, now],
  })
  return rows
}

/**
 * @param of `personId` null: any person of the merchant
 * @returns whether such a session existed
 */
export async function revokeSession(
  db: Queryable,
  id: string,
  of: { readonly merchantId: string; readonly personId: string | null },
  now: number,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'revoke-session',
    text: `
      update sessions s set revoked_at = to_timestamp($4::float8 / 1000)
      from people p
      where s.id = $1 and p.id = s.person_id and p.merchant_id = $2 and ($3::text is null or p.id = $3)
        and s.revoked_at is null`,
    values: [id, of.merchantId, of.personId, now],
  })
  return rowCount === 1
}

/** Ends the session of a cookie that will be replaced. */
export async function revokeByHash(db: Queryable, hash: Buffer, now: number): Promise<void> {
  await db.query({
    name: 'revoke-session-by-hash',
    text: `
      update sessions set revoked_at = to_timestamp($2::float8 / 1000)
      where hash = $1 and revoked_at is null`,
    values: [hash, now],
  })
}

function camel(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
