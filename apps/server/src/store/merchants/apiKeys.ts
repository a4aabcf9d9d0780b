import type { Mode } from '@payment-intents/contract'
import type { Merchant } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'

/** @param key.hash its SHA-256 in base64, as everywhere here */
export async function insertApiKey(
  db: Queryable,
  key: { id: string; merchantId: string; mode: Mode; hash: string; hint: string; label?: string },
): Promise<void> {
  await db.query(
    `insert into api_keys (id, merchant_id, mode, hash, hint, label)
     values ($1, $2, $3, decode($4, 'base64'), $5, $6)`,
    [key.id, key.merchantId, key.mode, key.hash, key.hint, key.label ?? ''],
  )
}

export type ApiKeyOwner = {
  hash: string
  revoked: boolean
  merchantClosed: boolean
  merchant: Merchant
}

/** A merchant of a mode, of merchants as `m`, as JSON. */
export function merchantColumn(mode: string): string {
  return `json_build_object('id', m.id, 'mode', ${mode}, 'defaultChain', m.default_chain,
    'wallets', (select coalesce(json_object_agg(w.chain, w.address), '{}')
      from merchant_wallets w where w.merchant_id = m.id and w.mode = ${mode}),
    'allowedWallets', (select coalesce(json_agg(a.address), '[]')
      from allowed_wallets a where a.merchant_id = m.id))`
}

/** Whom the keys with these hashes speak for, with all that creation asks of them. */
export async function findApiKeyOwners(
  db: Queryable,
  hashes: readonly string[],
): Promise<ApiKeyOwner[]> {
  const { rows } = await db.query<ApiKeyOwner>({
    name: 'find-owners',
    text: `
      select encode(k.hash, 'base64') as hash, k.revoked_at is not null as revoked, m.closed_at is not null as "merchantClosed",
        ${merchantColumn('k.mode')} as merchant
      from api_keys k join merchants m on m.id = k.merchant_id
      where k.hash = any($1)`,
    values: [hashes.map((hash) => Buffer.from(hash, 'base64'))],
  })
  return rows
}

export type ApiKeyRow = {
  id: string
  mode: Mode
  hint: string
  label: string
  created_at: Date
  revoked_at: Date | null
  last_used_at: Date | null
}

/** The oldest first; null: there is no such merchant. */
export async function listApiKeys(db: Queryable, merchantId: string): Promise<ApiKeyRow[] | null> {
  const { rows } = await db.query<ApiKeyRow>(
    `select id, mode, hint, label, created_at, revoked_at, last_used_at
     from api_keys where merchant_id = $1 order by id`,
    [merchantId],
  )
  if (rows.length > 0) return rows
  const { rowCount } = await db.query('select 1 from merchants where id = $1', [merchantId])
  return rowCount === 1 ? [] : null
}

/** @returns whether there is such a key */
export async function labelApiKey(db: Queryable, id: string, label: string): Promise<boolean> {
  const { rowCount } = await db.query('update api_keys set label = $2 where id = $1', [id, label])
  return rowCount === 1
}

/** Seconds between two writes of a key's last use, by all processes together. */
export const useEverySeconds = 60

export async function noteApiKeyUse(db: Queryable, hash: string): Promise<void> {
  await db.query({
    name: 'note-key-use',
    text: `
      update api_keys set last_used_at = now()
      where hash = decode($1, 'base64')
        and (last_used_at is null or last_used_at < now() - make_interval(secs => $2))`,
    values: [hash, useEverySeconds],
  })
}

/** @returns whether there was a live key to revoke */
export async function revokeApiKey(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'update api_keys set revoked_at = now() where id = $1 and revoked_at is null',
    [id],
  )
  return rowCount === 1
}
