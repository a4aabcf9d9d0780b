import type { Queryable } from '../connection/connect.ts'
import { type Person, personColumns } from './people.ts'

export type Passkey = {
  /** The credential's id, base64url. */
  readonly id: string
  readonly publicKey: Buffer
  readonly counter: number
  readonly transports: readonly string[]
  readonly label: string
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

const columns = `k.id, k.public_key as "publicKey", k.counter::float8 as counter, k.transports, k.label,
  (extract(epoch from k.created_at) * 1000)::float8 as "createdAt",
  (extract(epoch from k.last_used_at) * 1000)::float8 as "lastUsedAt"`

/** Oldest first. */
export async function listPasskeys(db: Queryable, personId: string): Promise<Passkey[]> {
  const { rows } = await db.query<Passkey>({
    name: 'list-passkeys',
    text: `select ${columns} from passkeys k where k.person_id = $1 order by k.created_at, k.id`,
    values: [personId],
  })
  return rows
}

/** @returns false: the credential is already registered */
export async function insertPasskey(
  db: Queryable,
  passkey: Omit<Passkey, 'lastUsedAt'> & { readonly personId: string },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'insert-passkey',
    text: `
      insert into passkeys (id, person_id, public_key, counter, transports, label, created_at)
      values ($1, $2, $3, $4, $5, $6, to_timestamp($7::float8 / 1000)) on conflict do nothing`,
    values: [
      ...[passkey.id, passkey.personId, passkey.publicKey, passkey.counter, passkey.transports],
      ...[passkey.label, passkey.createdAt],
    ],
  })
  return rowCount === 1
}

/** Finds a passkey and its person; null: nobody who may sign in has it. */
export async function findPasskey(
  db: Queryable,
  id: string,
): Promise<{ passkey: Passkey; person: Person } | null> {
  const { rows } = await db.query<Passkey & { person: Person }>({
    name: 'find-passkey',
    text: `
      select ${columns}, row_to_json(person) as person
      from passkeys k
        join people p on p.id = k.person_id
        join merchants m on m.id = p.merchant_id
        cross join lateral (select ${personColumns}) person
      where k.id = $1 and p.removed_at is null and m.closed_at is null`,
    values: [id],
  })
  const [row] = rows
  if (!row) return null
  const { person, ...passkey } = row
  return { passkey, person }
}

/**
 * Records a use. The caller has checked the counter.
 * @param use `now` is in Unix milliseconds
 */
export async function recordPasskeyUse(
  db: Queryable,
  { id, counter, now }: { id: string; counter: number; now: number },
): Promise<void> {
  await db.query({
    name: 'record-passkey-use',
    text: `
      update passkeys set counter = $2, last_used_at = to_timestamp($3::float8 / 1000) where id = $1`,
    values: [id, counter, now],
  })
}

/** @returns whether the person had the passkey */
export async function deletePasskey(db: Queryable, id: string, personId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'delete-passkey',
    text: 'delete from passkeys where id = $1 and person_id = $2',
    values: [id, personId],
  })
  return rowCount === 1
}

/**
 * Stores a challenge, and deletes expired challenges.
 * @param challenge.now Unix milliseconds, as `expiresAt`
 */
export async function insertChallenge(
  db: Queryable,
  challenge: { text: string; sessionId: string | null; now: number; expiresAt: number },
): Promise<void> {
  await db.query({
    name: 'insert-challenge',
    text: `
      with expired as (
        delete from passkey_challenges where challenge in (
          select challenge from passkey_challenges where expires_at <= to_timestamp($3::float8 / 1000)
          order by expires_at limit 100 for update skip locked
        )
      )
      insert into passkey_challenges (challenge, session_id, expires_at)
      values ($1, $2, to_timestamp($4::float8 / 1000))`,
    values: [challenge.text, challenge.sessionId, challenge.now, challenge.expiresAt],
  })
}

/**
 * Uses up a challenge.
 * @returns whether it was unused, belonged to this session and had not expired
 */
export async function takeChallenge(
  db: Queryable,
  { text, sessionId, now }: { text: string; sessionId: string | null; now: number },
): Promise<boolean> {
  const { rows } = await db.query<{ valid: boolean }>({
    name: 'take-challenge',
    text: `
      delete from passkey_challenges where challenge = $1
      returning session_id is not distinct from $2 and expires_at > to_timestamp($3::float8 / 1000) as valid`,
    values: [text, sessionId, now],
  })
  return rows[0]?.valid ?? false
}
