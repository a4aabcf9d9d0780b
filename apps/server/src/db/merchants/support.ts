import type { Queryable } from '../connect.ts'

/**
 * @param contact a mail address or an https URL; null removes it
 * @returns whether there is such a merchant
 */
export async function setSupport(
  db: Queryable,
  merchantId: string,
  contact: string | null,
): Promise<boolean> {
  const { rowCount } = await db.query('update merchants set support = $2 where id = $1', [
    merchantId,
    contact,
  ])
  return rowCount === 1
}

/** @returns null: there is no such merchant */
export async function findSupport(
  db: Queryable,
  merchantId: string,
): Promise<{ support: string | null } | null> {
  const { rows } = await db.query<{ support: string | null }>(
    'select support from merchants where id = $1',
    [merchantId],
  )
  return rows[0] ?? null
}
