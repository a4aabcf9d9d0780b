import { type Chain, limits } from '@payment-intents/contract'
import type { Actor, PaymentLink } from '@payment-intents/core'
import { onlyRow, type Queryable } from '../connection/connect.ts'
import { outrankedChains } from '../merchants/walletProofs.ts'

/** SQL of the columns of a link, from `payment_links l`. */
export const linkColumns = `
  l.id, l.merchant_id as "merchantId", l.mode, l.amount_units as amount,
    l.min_units as "minAmount", l.max_units as "maxAmount", l.chains, l.active, l.description,
    l.metadata, l.max_payments as "maxPayments", l.payments_count as "paymentsCount",
    floor(extract(epoch from l.expires_at) * 1000)::float8 as "expiresAt",
    l.return_url as "returnUrl",
    (select hash from payment_link_pictures where link_id = l.id) as picture,
    array(
      ${outrankedChains('l.merchant_id', 'l.mode')} and w.chain = any(l.chains) order by w.chain
    ) as "outrankedChains",
    floor(extract(epoch from l.created_at) * 1000)::float8 as "createdAt"`

export const selectLink = `select ${linkColumns} from payment_links l`

export async function findLink(
  db: Queryable,
  { merchantId, mode }: Actor,
  id: string,
): Promise<PaymentLink | null> {
  const { rows } = await db.query<PaymentLink>({
    name: 'find-payment-link',
    text: `${selectLink} where l.id = $1 and l.merchant_id = $2 and l.mode = $3`,
    values: [id, merchantId, mode],
  })
  return rows[0] ?? null
}

/** Locks a link until the transaction ends, and reads it. */
export async function lockLink(
  db: Queryable,
  { merchantId, mode }: Actor,
  id: string,
): Promise<PaymentLink | null> {
  const { rows } = await db.query<PaymentLink>({
    name: 'lock-payment-link',
    text: `${selectLink} where l.id = $1 and l.merchant_id = $2 and l.mode = $3 for update`,
    values: [id, merchantId, mode],
  })
  return rows[0] ?? null
}

/** Has other requests that activate a link of the merchant wait until the transaction ends. */
export async function lockActiveLinks(db: Queryable, { merchantId }: Actor): Promise<void> {
  await db.query({
    name: 'lock-active-links',
    text: 'select from merchants where id = $1 for no key update',
    values: [merchantId],
  })
}

/** Counts up to the limit of active links. */
export async function countActiveLinks(
  db: Queryable,
  { merchantId, mode }: Actor,
): Promise<number> {
  const { count } = onlyRow(
    await db.query<{ count: number }>({
      name: 'count-active-links',
      text: `
        select count(*)::int as count from (
          -- Whole rows are compared, so that PostgreSQL uses the only index that has their order.
          select from payment_links
          where (merchant_id, mode, active) >= ($1, $2, true)
            and (merchant_id, mode, active) <= ($1, $2, true)
          order by merchant_id, mode, active, id limit $3
        ) active`,
      values: [merchantId, mode, limits.activeLinks],
    }),
  )
  return count
}

/** Finds the chains on which only other merchants have proven the merchant's wallet. */
export async function findOutrankedChains(
  db: Queryable,
  { merchantId, mode }: Actor,
): Promise<Chain[]> {
  const { rows } = await db.query<{ chain: Chain }>({
    name: 'find-outranked-chains',
    text: outrankedChains('$1', '$2'),
    values: [merchantId, mode],
  })
  return rows.map(({ chain }) => chain)
}

export async function insertLink(db: Queryable, link: PaymentLink): Promise<void> {
  await db.query({
    name: 'insert-payment-link',
    text: `
      insert into payment_links (id, merchant_id, mode, amount_units, min_units, max_units, chains,
        active, description, metadata, max_payments, payments_count, expires_at, return_url,
        created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    values: [
      link.id,
      link.merchantId,
      link.mode,
      textOf(link.amount),
      textOf(link.minAmount),
      textOf(link.maxAmount),
      link.chains,
      link.active,
      link.description,
      link.metadata,
      link.maxPayments,
      link.paymentsCount,
      dateOf(link.expiresAt),
      link.returnUrl,
      new Date(link.createdAt),
    ],
  })
}

/** Writes the fields that a merchant may change. */
export async function saveLink(db: Queryable, link: PaymentLink): Promise<void> {
  await db.query({
    name: 'save-payment-link',
    text: `
      update payment_links set active = $2, description = $3, metadata = $4, max_payments = $5,
        expires_at = $6, return_url = $7,
        closing = closing or $5 <= payments_count is true
      where id = $1`,
    values: [
      link.id,
      link.active,
      link.description,
      link.metadata,
      link.maxPayments,
      dateOf(link.expiresAt),
      link.returnUrl,
    ],
  })
}

function textOf(amount: bigint | null): string | null {
  return amount === null ? null : String(amount)
}

/** @param time Unix milliseconds */
function dateOf(time: number | null): Date | null {
  return time === null ? null : new Date(time)
}
