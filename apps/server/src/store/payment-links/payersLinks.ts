import { limits } from '@payment-intents/contract'
import {
  type OpenPayments,
  type PayersLink,
  type PaymentLink,
  returnOriginIn,
  type VisitorPayment,
} from '@payment-intents/core'
import { onlyRow, type Queryable } from '../connection/connect.ts'
import { merchantColumn } from '../merchants/apiKeys.ts'
import { linkColumns } from './paymentLinks.ts'

type Row = PaymentLink &
  Omit<PayersLink, 'link' | 'isReturnOrigin'> & { readonly returnOrigins: readonly string[] }

/** Finds a link with the merchant's data that its payers see; null: it does not exist, or its merchant is closed. */
export async function findForPayer(db: Queryable, id: string): Promise<PayersLink | null> {
  const { rows } = await db.query<Row>({
    name: 'find-link-for-payer',
    text: `
      select ${linkColumns}, m.name as "merchantName", m.support,
        ${merchantColumn('l.mode')} as merchant, array(
          select origin from return_origins o
          where o.merchant_id = m.id and l.return_url is not null
        ) as "returnOrigins"
      from payment_links l join merchants m on m.id = l.merchant_id
      where l.id = $1 and m.closed_at is null`,
    values: [id],
  })
  const [row] = rows
  if (!row) return null
  const { merchant, merchantName, support, returnOrigins, ...link } = row
  const origin = returnOriginIn(link.mode, link.returnUrl)
  const isReturnOrigin = origin !== null && returnOrigins.includes(origin)
  return { link, merchant, merchantName, support, isReturnOrigin }
}

/**
 * Finds the newest payment intent of a visitor.
 * @param visitor SHA-256, in hexadecimal
 */
export async function findPayment(
  db: Queryable,
  linkId: string,
  visitor: string,
): Promise<VisitorPayment | null> {
  const { rows } = await db.query<VisitorPayment>({
    name: 'find-visitor-payment',
    text: `
      select p.id, p.chain, p.chain_id as "chainId", p.amount_units as amount, p.status,
        extract(epoch from p.expires_at)::float8 as "expiresAt"
      from link_visits v join payment_intents p on p.id = v.intent_id
      where v.link_id = $1 and v.visitor = $2
      order by v.intent_id desc limit 1`,
    values: [linkId, toBytes(visitor)],
  })
  return rows[0] ?? null
}

/**
 * Counts the open payments of a link and of a client, each up to its limit.
 * @param client HMAC of the address, in hexadecimal
 */
export async function countOpen(
  db: Queryable,
  { id, merchantId, mode }: PaymentLink,
  client: string,
): Promise<OpenPayments> {
  return onlyRow(
    await db.query<OpenPayments>({
      name: 'count-open-link-payments',
      text: `
        select (
          select count(*) from (
            select from payment_intents
            where merchant_id = $2 and mode = $3 and payment_link = $1
              and status = 'requires_payment'
            limit ${limits.openLinkPayments}
          ) of_link
        )::int as "ofLink", (
          select count(*) from (
            select from link_visits v
            where v.client = $4 and v.expires_at > now() and (
              select status from payment_intents p where p.id = v.intent_id
            ) = 'requires_payment'
            limit ${limits.openAddressPayments}
          ) of_client
        )::int as "ofClient"`,
      values: [id, merchantId, mode, toBytes(client)],
    }),
  )
}

/**
 * Deletes a step of the visits whose intents had their deadline before a time.
 * @param range.before Unix milliseconds
 * @returns null: none are left
 */
export async function deleteVisits(
  db: Queryable,
  { before, limit }: { before: number; limit: number },
): Promise<string | null> {
  const { rowCount } = await db.query({
    name: 'delete-link-visits',
    text: `
      delete from link_visits where intent_id = any(array(
        select intent_id from link_visits where expires_at < $1 order by expires_at limit $2
      ))`,
    values: [new Date(before), limit],
  })
  return (rowCount ?? 0) < limit ? null : ''
}

/** @param hex with or without `0x` */
function toBytes(hex: string): Buffer {
  return Buffer.from(hex.replace(/^0x/, ''), 'hex')
}
