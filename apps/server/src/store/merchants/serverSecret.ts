import { type Db, type Queryable, transaction } from '../connection/connect.ts'

/** The fingerprint of the key that derives new secrets of this database; `own` is stored if it has none yet. */
export async function leaveFingerprint(db: Queryable, fingerprint: string): Promise<string> {
  const { rows } = await db.query<{ fingerprint: string }>(
    `insert into server_secret as stored (fingerprint)
     values ($1)
     -- Stored by another server at the same moment: its row, once it is committed.
     on conflict (only_row) do update set fingerprint = stored.fingerprint
     returning fingerprint`,
    [fingerprint],
  )
  return rows[0]?.fingerprint ?? fingerprint
}

/** null before the first server. */
export async function readFingerprint(db: Queryable): Promise<string | null> {
  const { rows } = await db.query<{ fingerprint: string }>(`select fingerprint from server_secret`)
  return rows[0]?.fingerprint ?? null
}

/** How many webhook endpoints sign with each key: with the current secret, or until an overlap ends. */
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

/** Switches the derivation of new secrets to another key. Existing secrets stay as they were derived. */
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
