import type { Mode } from '@payment-intents/contract'
import type { Merchant } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'

/** A `read_only` key is for requests that change nothing. */
export const apiKeyScopes = ['full', 'read_only'] as const
export type ApiKeyScope = (typeof apiKeyScopes)[number]

/** @param key `hash` is its SHA-256 in base64, as everywhere in this file */
export async function insertApiKey(
  db: Queryable,
  key: {
    id: string
    merchantId: string
    mode: Mode
    hash: string
    hint: string
    label?: string
    scope?: ApiKeyScope
  },
): Promise<void> {
  await db.query(
    `insert into api_keys (id, merchant_id, mode, hash, hint, label, scope)
     values ($1, $2, $3, decode($4, 'base64'), $5, $6, $7)`,
    [key.id, key.merchantId, key.mode, key.hash, key.hint, key.label ?? '', key.scope ?? 'full'],
  )
}

export type ApiKeyOwner = {
  /** The key's id. */
  id: string
  hash: string
  scope: ApiKeyScope
  revoked: boolean
  merchantClosed: boolean
  merchant: Merchant
}

/** SQL of a merchant in a mode as JSON, from `merchants m`. */
export function merchantColumn(mode: string): string {
  return `json_build_object('id', m.id, 'mode', ${mode}, 'defaultChain', m.default_chain,
    'wallets', (select coalesce(json_object_agg(w.chain, w.address), '{}')
      from merchant_wallets w where w.merchant_id = m.id and w.mode = ${mode}),
    'allowedWallets', (select coalesce(json_agg(a.address), '[]')
      from allowed_wallets a where a.merchant_id = m.id),
    'confirmations', (select coalesce(json_object_agg(c.chain, c.confirmations_required), '{}')
      from merchant_confirmations c where c.merchant_id = m.id and c.mode = ${mode}))`
}

/** Finds the owners of keys, with all data of the owner that a creation needs. */
export async function findApiKeyOwners(
  db: Queryable,
  hashes: readonly string[],
): Promise<ApiKeyOwner[]> {
  const { rows } = await db.query<ApiKeyOwner>({
    name: 'find-owners',
    text: `
      select k.id, encode(k.hash, 'base64') as hash, k.scope,
        coalesce(k.revoked_at <= now(), false) as revoked, m.closed_at is not null as "merchantClosed",
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
  scope: ApiKeyScope
  created_at: Date
  revoked_at: Date | null
  last_used_at: Date | null
}

/** @returns the oldest first; null: the merchant does not exist */
export async function listApiKeys(db: Queryable, merchantId: string): Promise<ApiKeyRow[] | null> {
  const { rows } = await db.query<ApiKeyRow>(
    `select id, mode, hint, label, scope, created_at, revoked_at, last_used_at
     from api_keys where merchant_id = $1 order by id`,
    [merchantId],
  )
  if (rows.length > 0) return rows
  const { rowCount } = await db.query('select 1 from merchants where id = $1', [merchantId])
  return rowCount === 1 ? [] : null
}

/**
 * @param merchantId undefined: the key of any merchant, for the operator
 * @returns whether the key exists
 */
export async function labelApiKey(
  db: Queryable,
  id: string,
  label: string,
  merchantId?: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'update api_keys set label = $2 where id = $1 and ($3::text is null or merchant_id = $3)',
    [id, label, merchantId ?? null],
  )
  return rowCount === 1
}

/** The least time between two writes of a key's last use, by all processes together. */
export const useEverySeconds = 60

export async function storeApiKeyUse(db: Queryable, hash: string): Promise<void> {
  await db.query({
    name: 'store-key-use',
    text: `
      update api_keys set last_used_at = now()
      where hash = decode($1, 'base64')
        and (last_used_at is null or last_used_at < now() - make_interval(secs => $2))`,
    values: [hash, useEverySeconds],
  })
}

/**
 * @param seconds for which the key continues to work, unless an earlier revocation is scheduled
 * @param merchantId undefined: the key of any merchant, for the operator
 * @returns whether there was such a key that still worked
 */
export async function revokeApiKey(
  db: Queryable,
  id: string,
  seconds = 0,
  merchantId?: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update api_keys set revoked_at = least(revoked_at, now() + make_interval(secs => $2))
     where id = $1 and (revoked_at is null or revoked_at > now())
       and ($3::text is null or merchant_id = $3)`,
    [id, seconds, merchantId ?? null],
  )
  return rowCount === 1
}

/** Finds the id of an API key's merchant; null: no key has this id. */
export async function merchantOfApiKey(db: Queryable, id: string): Promise<string | null> {
  const { rows } = await db.query<{ merchantId: string }>(
    'select merchant_id as "merchantId" from api_keys where id = $1',
    [id],
  )
  return rows[0]?.merchantId ?? null
}
