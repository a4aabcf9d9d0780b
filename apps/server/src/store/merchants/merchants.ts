import type { Address, Chain, Mode } from '@payment-intents/contract'
import type { Queryable } from '../connection/connect.ts'

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

/** Sets or replaces a merchant's wallet on a chain. A new address starts with `match_plain_price` off. */
export async function setMerchantWallet(
  db: Queryable,
  wallet: { merchantId: string; mode: Mode; chain: Chain; address: Address },
): Promise<void> {
  await db.query(
    `insert into merchant_wallets as w (merchant_id, mode, chain, address)
     values ($1, $2, $3, $4)
     on conflict (merchant_id, mode, chain) do update set address = excluded.address,
       match_plain_price = w.address = excluded.address and w.match_plain_price`,
    [wallet.merchantId, wallet.mode, wallet.chain, wallet.address.toLowerCase()],
  )
}

/** Adds a recipient that requests may name. The first entry on the list excludes all addresses that are not on it. */
export async function allowWallet(
  db: Queryable,
  wallet: { merchantId: string; address: Address },
): Promise<void> {
  await db.query(
    `insert into allowed_wallets (merchant_id, address) values ($1, $2) on conflict do nothing`,
    [wallet.merchantId, wallet.address.toLowerCase()],
  )
}

/**
 * Removes a recipient from that list.
 * @returns the number of recipients that remain; null: the list did not have it
 */
export async function disallowWallet(
  db: Queryable,
  wallet: { merchantId: string; address: Address },
): Promise<number | null> {
  const { rows } = await db.query<{ remaining: number }>(
    `with deleted as (
       delete from allowed_wallets where merchant_id = $1 and address = $2 returning 1
     )
     select (select count(*) from allowed_wallets where merchant_id = $1)::int - 1 as remaining from deleted`,
    [wallet.merchantId, wallet.address.toLowerCase()],
  )
  return rows[0]?.remaining ?? null
}

/** Lets a wallet pay a merchant's refunds, in addition to the wallets that receive the merchant's payments. */
export async function allowRefundWallet(
  db: Queryable,
  wallet: { merchantId: string; address: Address },
): Promise<void> {
  await db.query(
    `insert into refund_wallets (merchant_id, address) values ($1, $2) on conflict do nothing`,
    [wallet.merchantId, wallet.address.toLowerCase()],
  )
}

/** @returns whether the wallet could pay refunds before */
export async function disallowRefundWallet(
  db: Queryable,
  wallet: { merchantId: string; address: Address },
): Promise<boolean> {
  const { rowCount } = await db.query(
    'delete from refund_wallets where merchant_id = $1 and address = $2',
    [wallet.merchantId, wallet.address.toLowerCase()],
  )
  return rowCount === 1
}

export type Wallets = {
  readonly wallets: readonly {
    mode: Mode
    chain: Chain
    address: Address
    matchPlainPrice: boolean
  }[]
  readonly allowed: readonly Address[]
  /** Wallets that pay refunds, in addition to `wallets` and `allowed`. */
  readonly refunding: readonly Address[]
  /** Wallets that the merchant has proven, and the chain on which each proof is valid; null: all chains. */
  readonly proven: readonly { address: Address; chainId: number | null }[]
}

/**
 * Lists a merchant's wallets, the recipients that requests may name, the wallets that pay refunds, and the proven
 * wallets; null: the merchant does not exist.
 */
export async function listWallets(db: Queryable, merchantId: string): Promise<Wallets | null> {
  const { rows } = await db.query<Wallets>(
    `select
       (select coalesce(json_agg(json_build_object('mode', mode, 'chain', chain, 'address', address,
          'matchPlainPrice', match_plain_price) order by mode, chain), '[]') from merchant_wallets where merchant_id = m.id) as wallets,
       (select coalesce(json_agg(address order by address), '[]')
        from allowed_wallets where merchant_id = m.id) as allowed,
       (select coalesce(json_agg(address order by address), '[]')
        from refund_wallets where merchant_id = m.id) as refunding,
       (select coalesce(json_agg(json_build_object('address', address, 'chainId', chain_id)
          order by address, chain_id), '[]') from wallet_proofs where merchant_id = m.id) as proven
     from merchants m where id = $1`,
    [merchantId],
  )
  return rows[0] ?? null
}

export async function hasMerchant(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query('select from merchants where id = $1', [id])
  return rowCount === 1
}

/** @returns whether an open merchant was closed */
export async function closeMerchant(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'update merchants set closed_at = now() where id = $1 and closed_at is null',
    [id],
  )
  return rowCount === 1
}
