import { type Intent, isUsedUp, type PaymentLink } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'

// The places of payment links; see `places.ts` in core. Everywhere intents are locked first, then their links by id.

/** The part of a link that decides whether a place is free. */
export type LockedLink = Pick<PaymentLink, 'maxPayments' | 'paymentsCount'>

/** Locks the links of locked intents. */
export async function lockLinks(
  db: Queryable,
  intents: readonly Pick<Intent, 'paymentLink'>[],
): Promise<ReadonlyMap<string, LockedLink>> {
  const ids = [...new Set(intents.flatMap(({ paymentLink }) => paymentLink ?? []))]
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<LockedLink & { id: string }>({
    name: 'lock-payment-links',
    text: `
      select id, max_payments as "maxPayments", payments_count as "paymentsCount"
      from payment_links where id = any ($1) order by id for no key update`,
    values: [ids],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

/** Finds the intents that hold a place. */
export async function findHolders(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: 'find-place-holders',
    text: 'select id from payment_intents where id = any ($1) and holds_place',
    values: [ids],
  })
  return new Set(rows.map(({ id }) => id))
}

/**
 * Takes and returns the places of locked intents, according to their state and that of their authorizations. A link
 * that is now used up is closing: the followers of its chains cancel its other open intents.
 */
export async function updatePlaces(db: Queryable, intentIds: readonly string[]): Promise<void> {
  await db.query({
    name: 'update-places',
    text: `
      with changed as (
        update payment_intents p set holds_place = not holds_place
        where id = any ($1) and payment_link is not null and holds_place <> (
          exists (
            select from authorizations a where a.intent_id = p.id and a.status = 'in_flight'
          ) or status = 'pending_confirmations'
            or status = 'succeeded' and not 'reorged' = any (exceptions)
        )
        returning payment_link, holds_place
      ), counted as (
        select payment_link, sum(case when holds_place then 1 else -1 end)::int as places
        from changed group by payment_link
      )
      update payment_links l set payments_count = payments_count + c.places,
        closing = closing or payments_count + c.places >= max_payments is true
      from counted c where l.id = c.payment_link`,
    values: [intentIds],
  })
}

/** Updates the places of locked intents. First locks their links, if they have any. */
export async function updatePlacesOf(db: Queryable, intentIds: readonly string[]): Promise<void> {
  const { rows } = await db.query<{ id: string; paymentLink: string }>({
    name: 'find-intents-of-links',
    text: `
      select id, payment_link as "paymentLink" from payment_intents
      where id = any ($1) and payment_link is not null`,
    values: [intentIds],
  })
  if (rows.length === 0) return
  await lockLinks(db, rows)
  await updatePlaces(
    db,
    rows.map(({ id }) => id),
  )
}

/** Ends the closing of links that are no longer used up, or that have no open intent left. */
export async function endClosing(db: Queryable): Promise<void> {
  await db.query({
    name: 'end-closing',
    text: `
      update payment_links set closing = false
      where id in (
        select id from payment_links l
        where closing and (payments_count < max_payments or max_payments is null or not exists (
          select from payment_intents p
          where p.payment_link = l.id and p.status = 'requires_payment'
        ))
        order by id for no key update skip locked
      )`,
  })
}

/** The number of places that a link has left; null: it has no limit. */
export function remainingPlaces(link: LockedLink | undefined): number | null {
  if (!link || link.maxPayments === null) return null
  return isUsedUp(link) ? 0 : link.maxPayments - link.paymentsCount
}
