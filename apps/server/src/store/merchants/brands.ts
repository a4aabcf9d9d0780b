import type { Picture } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'

/** The part of a merchant's brand that pages draw. */
export type Brand = {
  /** `#rrggbb`. */
  readonly accent: string | null
  /** The hash that names the logo. */
  readonly logo: string | null
}

/** @returns null: the merchant does not exist */
export async function findBrand(
  db: Queryable,
  merchantId: string,
): Promise<(Brand & { logoType: string | null; logoBytes: number | null }) | null> {
  const { rows } = await db.query<Brand & { logoType: string | null; logoBytes: number | null }>(
    `select accent, logo_hash as logo, logo_type as "logoType", octet_length(logo) as "logoBytes"
     from merchants m left join merchant_brands b on b.merchant_id = m.id where m.id = $1`,
    [merchantId],
  )
  return rows[0] ?? null
}

/** Finds the brand of a payment link's merchant; null: the page keeps its own. */
export async function findLinkBrand(db: Queryable, linkId: string): Promise<Brand | null> {
  const { rows } = await db.query<Brand>({
    name: 'find-link-brand',
    text: `
      select accent, logo_hash as logo
      from payment_links l join merchant_brands b using (merchant_id) where l.id = $1`,
    values: [linkId],
  })
  return rows[0] ?? null
}

/** Finds a logo by its hash. Several merchants may have it. */
export async function findLogo(
  db: Queryable,
  hash: string,
): Promise<Pick<Picture, 'type' | 'content'> | null> {
  const { rows } = await db.query<Pick<Picture, 'type' | 'content'>>({
    name: 'find-logo',
    text: 'select logo_type as type, logo as content from merchant_brands where logo_hash = $1 limit 1',
    values: [hash],
  })
  return rows[0] ?? null
}
