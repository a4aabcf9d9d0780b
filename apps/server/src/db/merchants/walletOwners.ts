import type { Address, Mode } from '@payment-intents/contract'
import { one, type Queryable } from '../connect.ts'

type Naming = { readonly merchantId: string; readonly mode: Mode; readonly wallet: Address }

/**
 * Whether an address that a request names is another merchant's: one that others keep in their own lists and this one
 * does not, else one that another merchant's request named first.
 */
export async function isOthersWallet(db: Queryable, naming: Naming): Promise<boolean> {
  const { owner } = await readOwner(db, naming)
  return owner === 'other'
}

/** Makes an address that no merchant has named yet this merchant's, for good. @returns whether it is theirs */
export async function ownWallet(db: Queryable, naming: Naming): Promise<boolean> {
  const { owner } = await readOwner(db, naming)
  if (owner !== null) return owner === 'self'
  const first = one(
    await db.query<{ merchant_id: string }>({
      name: 'own-wallet',
      text: `
        insert into wallet_owners as o (mode, address, merchant_id) values ($1, $2, $3)
        -- Named by another at the same moment: their row, once it is committed.
        on conflict (mode, address) do update set merchant_id = o.merchant_id
        returning merchant_id`,
      values: [naming.mode, naming.wallet, naming.merchantId],
    }),
  )
  return first.merchant_id === naming.merchantId
}

async function readOwner(
  db: Queryable,
  { mode, wallet, merchantId }: Naming,
): Promise<{ owner: 'self' | 'other' | null }> {
  return one(
    await db.query<{ owner: 'self' | 'other' | null }>({
      name: 'read-wallet-owner',
      text: `
        with listed as (
          select merchant_id from merchant_wallets where address = $2 and mode = $1
          union all
          select merchant_id from allowed_wallets where address = $2
        )
        select case coalesce(
          (select bool_or(merchant_id = $3) from listed),
          (select merchant_id = $3 from wallet_owners where mode = $1 and address = $2)
        ) when true then 'self' when false then 'other' end as owner`,
      values: [mode, wallet, merchantId],
    }),
  )
}
