import type { Queryable } from '../connection/connect.ts'

/** What a merchant offers to payers in need of help: a contact, and a page about how to get USDC. */
export type PayerHelp = 'support' | 'guide'

/**
 * @param text null removes it
 * @returns whether there is such a merchant
 */
export async function setPayerHelp(
  db: Queryable,
  merchantId: string,
  help: PayerHelp,
  text: string | null,
): Promise<boolean> {
  const statement = `update merchants set ${help} = $2 where id = $1`
  const { rowCount } = await db.query(statement, [merchantId, text])
  return rowCount === 1
}

/** @returns null: there is no such merchant */
export async function findPayerHelp(
  db: Queryable,
  merchantId: string,
): Promise<{ readonly [help in PayerHelp]: string | null } | null> {
  const statement = 'select support, guide from merchants where id = $1'
  const { rows } = await db.query<{ support: string | null; guide: string | null }>(statement, [
    merchantId,
  ])
  return rows[0] ?? null
}
