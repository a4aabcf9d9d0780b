import type { Queryable } from '../connection/connect.ts'

type ReturnOrigin = { readonly merchantId: string; readonly origin: string }

/** Adds an origin that the hosted page may lead back to. */
export async function allowReturnOrigin(db: Queryable, allowed: ReturnOrigin): Promise<void> {
  await db.query(
    'insert into return_origins (merchant_id, origin) values ($1, $2) on conflict do nothing',
    [allowed.merchantId, allowed.origin],
  )
}

/** @returns whether it was among them */
export async function disallowReturnOrigin(db: Queryable, gone: ReturnOrigin): Promise<boolean> {
  const { rowCount } = await db.query(
    'delete from return_origins where merchant_id = $1 and origin = $2',
    [gone.merchantId, gone.origin],
  )
  return rowCount === 1
}

export async function listReturnOrigins(db: Queryable, merchantId: string): Promise<string[]> {
  const { rows } = await db.query<{ origin: string }>(
    'select origin from return_origins where merchant_id = $1 order by origin',
    [merchantId],
  )
  return rows.map(({ origin }) => origin)
}

/** @param origin null is none */
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

/** Whether the page of an intent may lead back to an origin; to one without TLS in test mode only. */
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
