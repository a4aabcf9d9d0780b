import type { Address, Chain, Mode } from '@payment-intents/contract'
import type { Queryable } from '../connect.ts'

export async function insertMerchant(
  db: Queryable,
  merchant: { id: string; name: string; defaultChain: Chain | null },
): Promise<void> {
  await db.query('insert into merchants (id, name, default_chain) values ($1, $2, $3)', [
    merchant.id,
    merchant.name,
    merchant.defaultChain,
  ])
}

export type MerchantRow = {
  id: string
  name: string
  default_chain: Chain | null
  created_at: Date
  closed_at: Date | null
}

export async function listMerchants(db: Queryable): Promise<MerchantRow[]> {
  const { rows } = await db.query<MerchantRow>(
    'select id, name, default_chain, created_at, closed_at from merchants order by id',
  )
  return rows
}

/** Sets or replaces where a merchant is paid on one chain. */
export async function setMerchantWallet(
  db: Queryable,
  wallet: { merchantId: string; mode: Mode; chain: Chain; address: Address },
): Promise<void> {
  await db.query(
    `insert into merchant_wallets (merchant_id, mode, chain, address) values ($1, $2, $3, $4)
     on conflict (merchant_id, mode, chain) do update set address = excluded.address`,
    [wallet.merchantId, wallet.mode, wallet.chain, wallet.address.toLowerCase()],
  )
}

/** Adds a recipient that requests may name; the first one closes the list to all others. */
export async function allowWallet(
  db: Queryable,
  wallet: { merchantId: string; address: Address },
): Promise<void> {
  await db.query(
    `insert into allowed_wallets (merchant_id, address) values ($1, $2) on conflict do nothing`,
    [wallet.merchantId, wallet.address.toLowerCase()],
  )
}

/** @returns whether there was an open merchant to close */
export async function closeMerchant(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'update merchants set closed_at = now() where id = $1 and closed_at is null',
    [id],
  )
  return rowCount === 1
}
