import type { StoredReturnOrigin } from '@payment-intents/core'
import { type Db, type Queryable, transaction } from '../connection/connect.ts'

/**
 * Adds an origin to which pages may return.
 * @returns the entry of the origin, which may have existed before
 */
export function insertReturnOrigin(
  db: Db,
  merchantId: string,
  { id, origin, createdAt }: StoredReturnOrigin,
  limit: number,
): Promise<StoredReturnOrigin | 'too_many'> {
  return transaction(db, async (client) => {
    // Another request that adds an origin waits for this lock, and then counts this origin.
    await client.query('select 1 from merchants where id = $1 for no key update', [merchantId])
    const existing = await listReturnOrigins(client, merchantId)
    const before = existing.find((each) => each.origin === origin)
    if (before) return before
    if (existing.length >= limit) return 'too_many'
    await client.query(
      'insert into return_origins (id, merchant_id, origin, created_at) values ($1, $2, $3, $4)',
      [id, merchantId, origin, createdAt],
    )
    return { id, origin, createdAt }
  })
}

/** @returns whether the origin existed */
export async function deleteReturnOrigin(
  db: Queryable,
  merchantId: string,
  id: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'delete from return_origins where merchant_id = $1 and id = $2',
    [merchantId, id],
  )
  return rowCount === 1
}

/** In alphabetical order. */
export async function listReturnOrigins(
  db: Queryable,
  merchantId: string,
): Promise<StoredReturnOrigin[]> {
  const { rows } = await db.query<StoredReturnOrigin>(
    `select id, origin, created_at as "createdAt" from return_origins
     where merchant_id = $1 order by origin`,
    [merchantId],
  )
  return rows
}

/** @param origin null never matches */
export async function isRegisteredOrigin(
  db: Queryable,
  merchantId: string,
  origin: string | null,
): Promise<boolean> {
  if (origin === null) return false
  const { rowCount } = await db.query({
    name: 'find-registered-origin',
    text: 'select from return_origins where merchant_id = $1 and origin = $2',
    values: [merchantId, origin],
  })
  return rowCount === 1
}

/** Whether the page of an intent may return to an origin. An origin without TLS is only for test mode. */
export async function isReturnOrigin(
  db: Queryable,
  { intentId, origin }: { intentId: string; origin: string },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'find-return-origin',
    text: `
      select from payment_intents p join return_origins o using (merchant_id)
      where p.id = $1 and o.origin = $2 and (o.origin like 'https://%' or p.mode = 'testnet')`,
    values: [intentId, origin],
  })
  return rowCount === 1
}
