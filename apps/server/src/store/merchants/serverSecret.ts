import { type Db, type Queryable, transaction } from '../connection/connect.ts'

/** Reads the fingerprint of the key that derives new secrets. Stores `fingerprint` if the database has none yet. */
export async function leaveFingerprint(db: Queryable, fingerprint: string): Promise<string> {
  const { rows } = await db.query<{ fingerprint: string }>(
    `insert into server_secret as stored (fingerprint)
     values ($1)
     -- If another server stores its own at the same moment, this waits for that row and returns it.
     on conflict (only_row) do update set fingerprint = stored.fingerprint
     returning fingerprint`,
    [fingerprint],
  )
  return rows[0]?.fingerprint ?? fingerprint
}

/** @returns null: no server has used this database */
export async function readFingerprint(db: Queryable): Promise<string | null> {
  const { rows } = await db.query<{ fingerprint: string }>(`select fingerprint from server_secret`)
  return rows[0]?.fingerprint ?? null
}

/** Counts the webhook endpoints that sign with each key, including keys of previous secrets until an overlap ends. */
export async function usedFingerprints(
  db: Queryable,
): Promise<{ fingerprint: string; endpoints: number }[]> {
  const { rows } = await db.query<{ fingerprint: string; endpoints: number }>(
    `select fingerprint, count(distinct id)::int as endpoints
     from (
       select id, secret_key as fingerprint from webhook_endpoints
       union all
       select id, previous_secret_key from webhook_endpoints where previous_secret_until > now()
     ) used
     group by 1 order by 1`,
  )
  return rows
}

/** Has new secrets derived from another key. Existing secrets stay. */
export function rotateFingerprint(db: Db, next: string): Promise<'rotated' | 'unchanged'> {
  return transaction(db, async (client) => {
    const { rows } = await client.query<{ fingerprint: string }>(
      'select fingerprint from server_secret for update',
    )
    const before = rows[0]?.fingerprint
    if (before === undefined || before === next) return 'unchanged'
    await client.query('update server_secret set fingerprint = $1', [next])
    return 'rotated'
  })
}
