import { type Db, type Queryable, transaction } from './connect.ts'

/**
 * The fingerprint of the key that new secrets of this database are derived with. A database that has none gets one: an
 * empty database `fresh`, and one that the first releases have filled `first`.
 */
export async function leaveFingerprint(
  db: Queryable,
  own: { fresh: string; first: string },
): Promise<string> {
  const { rows } = await db.query<{ fingerprint: string }>(
    `insert into server_secret as left_before (fingerprint)
     select case when exists (select from payment_intents) or exists (select from webhook_endpoints)
       then $2 else $1 end
     -- Left by another server at the same moment: its row, once it is committed.
     on conflict (only_row) do update set fingerprint = left_before.fingerprint
     returning fingerprint`,
    [own.fresh, own.first],
  )
  return rows[0]?.fingerprint ?? own.fresh
}

/** null before a server was there. */
export async function readFingerprint(db: Queryable): Promise<string | null> {
  const { rows } = await db.query<{ fingerprint: string }>(`select fingerprint from server_secret`)
  return rows[0]?.fingerprint ?? null
}

/** How many webhook endpoints sign with each key: with the current secret, or until an overlap ends. */
export async function usedFingerprints(
  db: Queryable,
): Promise<{ fingerprint: string; endpoints: number }[]> {
  const { rows } = await db.query<{ fingerprint: string; endpoints: number }>(
    `select coalesce(used.fingerprint, s.fingerprint) as fingerprint, count(distinct id)::int as endpoints
     from (
       select id, secret_key as fingerprint from webhook_endpoints
       union all
       select id, previous_secret_key from webhook_endpoints where previous_secret_until > now()
     ) used cross join server_secret s
     group by 1 order by 1`,
  )
  return rows
}

/** Has new secrets derived with another key. What is there stays as it was derived. */
export function rotateFingerprint(db: Db, next: string): Promise<'rotated' | 'unchanged'> {
  return transaction(db, async (client) => {
    const { rows } = await client.query<{ fingerprint: string }>(
      'select fingerprint from server_secret for update',
    )
    const before = rows[0]?.fingerprint
    if (before === undefined || before === next) return 'unchanged'
    await client.query(
      `update webhook_endpoints set secret_key = coalesce(secret_key, $1),
         previous_secret_key = case when previous_secret_until is not null
           then coalesce(previous_secret_key, $1) end
       where secret_key is null or (previous_secret_key is null and previous_secret_until is not null)`,
      [before],
    )
    await client.query('update idempotency_keys set secret_key = $1 where secret_key is null', [
      before,
    ])
    await client.query('update server_secret set fingerprint = $1', [next])
    return 'rotated'
  })
}
