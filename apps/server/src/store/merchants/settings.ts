import type { Chain } from '@payment-intents/contract'
import type {
  Actor,
  ChainChange,
  Picture,
  SettingsChange,
  SettingsUpdate,
  StoredSettings,
} from '@payment-intents/core'
import { type Db, type Queryable, transaction } from '../connection/connect.ts'

/** Finds a merchant's settings, those of a mode by chain; null: the merchant does not exist. */
export async function findSettings(
  db: Queryable,
  { merchantId, mode }: Actor,
): Promise<StoredSettings | null> {
  const { rows } = await db.query<StoredSettings>({
    name: 'find-settings',
    text: `
      select m.name, m.default_chain as "defaultChain", m.support, m.guide, b.accent, b.logo_hash as logo,
        (select coalesce(json_object_agg(w.chain, json_build_object(
           'address', w.address, 'matchPlainPrice', w.match_plain_price)), '{}')
         from merchant_wallets w where w.merchant_id = m.id and w.mode = $2) as wallets,
        (select coalesce(json_object_agg(c.chain, c.confirmations_required), '{}')
         from merchant_confirmations c where c.merchant_id = m.id and c.mode = $2) as confirmations
      from merchants m left join merchant_brands b on b.merchant_id = m.id where m.id = $1`,
    values: [merchantId, mode],
  })
  return rows[0] ?? null
}

/** Finds a merchant's own `confirmations_required`; null: the server's applies. */
export async function findConfirmations(
  db: Queryable,
  { merchantId, mode }: Actor,
  chain: Chain,
): Promise<number | null> {
  const { rows } = await db.query<{ required: number }>(
    `select confirmations_required as required from merchant_confirmations
     where merchant_id = $1 and mode = $2 and chain = $3`,
    [merchantId, mode, chain],
  )
  return rows[0]?.required ?? null
}

/** Changes all named fields, or nothing. Triggers announce changes of data that servers cache with API keys. */
export function updateSettings(
  db: Db,
  merchantId: string,
  change: SettingsChange,
): Promise<SettingsUpdate> {
  return transaction(db, (client) => applySettings(client, merchantId, change))
}

/** Does the work of {@link updateSettings} in the caller's transaction. */
export async function applySettings(
  client: Queryable,
  merchantId: string,
  change: SettingsChange,
): Promise<SettingsUpdate> {
  const { chains = [] } = change
  // Changes of the same merchant wait for each other.
  const { rowCount } = await client.query('select from merchants where id = $1 for no key update', [
    merchantId,
  ])
  if (rowCount === 0) return { type: 'no_merchant' }
  for (const { mode, chain, matchPlainPrice } of chains) {
    const isMissing = matchPlainPrice && !(await lockWallet(client, { merchantId, mode, chain }))
    if (isMissing) return { type: 'no_wallet', chain }
  }
  await updateMerchant(client, merchantId, change)
  if (change.accent !== undefined || change.logo !== undefined) {
    await updateBrand(client, merchantId, change)
  }
  for (const each of chains) await updateChain(client, merchantId, each)
  return { type: 'updated' }
}

async function lockWallet(
  client: Queryable,
  { merchantId, mode, chain }: { merchantId: string } & Pick<ChainChange, 'mode' | 'chain'>,
): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from merchant_wallets where merchant_id = $1 and mode = $2 and chain = $3 for update',
    [merchantId, mode, chain],
  )
  return rowCount === 1
}

async function updateMerchant(
  client: Queryable,
  merchantId: string,
  { name, defaultChain, support, guide }: SettingsChange,
): Promise<void> {
  const columns = { name, default_chain: defaultChain, support, guide }
  const named = Object.entries(columns).filter(([, value]) => value !== undefined)
  if (named.length === 0) return
  const set = named.map(([column], index) => `${column} = $${index + 2}`)
  await client.query(`update merchants set ${set.join(', ')} where id = $1`, [
    merchantId,
    ...named.map(([, value]) => value),
  ])
}

async function updateBrand(
  client: Queryable,
  merchantId: string,
  { accent, logo }: Pick<SettingsChange, 'accent' | 'logo'>,
): Promise<void> {
  const { hash, type, content }: Partial<Picture> = logo ?? {}
  await client.query(
    `insert into merchant_brands as b (merchant_id, accent, logo_hash, logo_type, logo)
     values ($1, $2, $3, $4, $5)
     on conflict (merchant_id) do update set
       accent = case when $6 then excluded.accent else b.accent end,
       logo_hash = case when $7 then excluded.logo_hash else b.logo_hash end,
       logo_type = case when $7 then excluded.logo_type else b.logo_type end,
       logo = case when $7 then excluded.logo else b.logo end`,
    [
      ...[merchantId, accent ?? null, hash ?? null, type ?? null, content ?? null],
      ...[accent !== undefined, logo !== undefined],
    ],
  )
  await client.query(
    'delete from merchant_brands where merchant_id = $1 and accent is null and logo_hash is null',
    [merchantId],
  )
}

async function updateChain(
  client: Queryable,
  merchantId: string,
  { mode, chain, matchPlainPrice, confirmationsRequired }: ChainChange,
): Promise<void> {
  const key = [merchantId, mode, chain]
  if (matchPlainPrice !== undefined) {
    await client.query(
      `update merchant_wallets set match_plain_price = $4
       where merchant_id = $1 and mode = $2 and chain = $3`,
      [...key, matchPlainPrice],
    )
  }
  if (confirmationsRequired === undefined) return
  if (confirmationsRequired === null) {
    await client.query(
      'delete from merchant_confirmations where merchant_id = $1 and mode = $2 and chain = $3',
      key,
    )
    return
  }
  await client.query(
    `insert into merchant_confirmations (merchant_id, mode, chain, confirmations_required)
     values ($1, $2, $3, $4)
     on conflict (merchant_id, mode, chain)
     do update set confirmations_required = excluded.confirmations_required`,
    [...key, confirmationsRequired],
  )
}
