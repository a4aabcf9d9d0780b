import type { Queryable } from '../connection/connect.ts'
import { type Person, personColumns } from './people.ts'

/** Stores a link. It replaces the person's earlier links: only the newest is valid. Times are in Unix milliseconds. */
export async function insertSignInLink(
  db: Queryable,
  link: { hash: Buffer; personId: string; createdAt: number; expiresAt: number },
): Promise<void> {
  await db.query({
    name: 'insert-sign-in-link',
    text: `
      with replaced as (delete from sign_in_links where person_id = $2 and used_at is null)
      insert into sign_in_links (hash, person_id, created_at, expires_at)
      values ($1, $2, to_timestamp($3::float8 / 1000), to_timestamp($4::float8 / 1000))`,
    values: [link.hash, link.personId, link.createdAt, link.expiresAt],
  })
}

/**
 * Uses up a link.
 * @param now Unix milliseconds
 * @returns the person to sign in; null: the link is unknown, used or expired, or the person or merchant is gone
 */
export async function takeSignInLink(
  db: Queryable,
  hash: Buffer,
  now: number,
): Promise<Person | null> {
  const { rows } = await db.query<Person>({
    name: 'take-sign-in-link',
    text: `
      with used as (
        update sign_in_links set used_at = to_timestamp($2::float8 / 1000)
        where hash = $1 and used_at is null and expires_at > to_timestamp($2::float8 / 1000)
        returning person_id
      )
      select ${personColumns}
      from used join people p on p.id = used.person_id join merchants m on m.id = p.merchant_id
      where p.removed_at is null and m.closed_at is null`,
    values: [hash, now],
  })
  return rows[0] ?? null
}
