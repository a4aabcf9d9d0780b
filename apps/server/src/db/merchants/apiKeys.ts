import type { Mode } from '@payment-intents/contract'
import type { Merchant } from '@payment-intents/rules'
import type { Queryable } from '../connect.ts'

export async function insertApiKey(
  db: Queryable,
  key: { id: string; merchantId: string; mode: Mode; hash: Buffer; hint: string },
): Promise<void> {
  await db.query(
    'insert into api_keys (id, merchant_id, mode, hash, hint) values ($1, $2, $3, $4, $5)',
    [key.id, key.merchantId, key.mode, key.hash, key.hint],
  )
}

export type ApiKeyOwner = {
  hash: Buffer
  revoked: boolean
  merchantClosed: boolean
  merchant: Merchant
}

const findOwner = `
  select k.hash, k.revoked_at is not null as revoked, m.closed_at is not null as "merchantClosed",
    json_build_object('id', m.id, 'mode', k.mode, 'defaultChain', m.default_chain,
      'wallets', (select coalesce(json_object_agg(w.chain, w.address), '{}')
        from merchant_wallets w where w.merchant_id = m.id and w.mode = k.mode),
      'allowedWallets', (select coalesce(json_agg(a.address), '[]')
        from allowed_wallets a where a.merchant_id = m.id)) as merchant
  from api_keys k join merchants m on m.id = k.merchant_id
  where k.hash = $1`

/** Whom the key with this SHA-256 speaks for, with all that creation asks of them; null when unknown. */
export async function findApiKeyOwner(db: Queryable, hash: Buffer): Promise<ApiKeyOwner | null> {
  const asked = { name: 'find-owner', text: findOwner, values: [hash] }
  const { rows } = await db.query<ApiKeyOwner>(asked)
  return rows[0] ?? null
}

export type ApiKeyRow = {
  id: string
  mode: Mode
  hint: string
  created_at: Date
  revoked_at: Date | null
}

export async function listApiKeys(db: Queryable, merchantId: string): Promise<ApiKeyRow[]> {
  const { rows } = await db.query<ApiKeyRow>(
    'select id, mode, hint, created_at, revoked_at from api_keys where merchant_id = $1 order by id',
    [merchantId],
  )
  return rows
}

/** @returns whether there was a live key to revoke */
export async function revokeApiKey(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'update api_keys set revoked_at = now() where id = $1 and revoked_at is null',
    [id],
  )
  return rowCount === 1
}
