import { windows } from '@payment-intents/contract'
import type { Queryable } from '../connection/connect.ts'

/** What is kept under an idempotency key. */
export type Kept = {
  /** SHA-256 of what was asked for, hexadecimal. */
  readonly hash: string
  /** JSON text without the client secret; null: not yet. */
  readonly response: string | null
  /** The fingerprint of the key that the client secret is derived with. */
  readonly secretKey: string
}

export async function findKept(
  db: Queryable,
  asked: { merchantId: string; mode: string; route: string; key: string },
): Promise<Kept | null> {
  const { rows } = await db.query<Kept>({
    name: 'find-idempotency-key',
    text: `
      select encode(request_hash, 'hex') as hash, response, secret_key as "secretKey" from idempotency_keys
      where merchant_id = $1 and mode = $2 and route = $3 and key = $4
        and created_at >= now() - interval '${windows.idempotency} seconds'`,
    values: [asked.merchantId, asked.mode, asked.route, asked.key],
  })
  return rows[0] ?? null
}

/**
 * Deletes a step of the idempotency keys from before a time.
 *
 * @param before Unix milliseconds
 * @returns null: none are left
 */
export async function deleteIdempotencyKeys(
  db: Queryable,
  { before, limit }: { before: number; limit: number },
): Promise<string | null> {
  const { rowCount } = await db.query({
    name: 'delete-idempotency-keys',
    text: `
      delete from idempotency_keys where ctid = any(array(
        select ctid from idempotency_keys where created_at < $1 order by created_at limit $2
      ))`,
    values: [new Date(before), limit],
  })
  return (rowCount ?? 0) < limit ? null : ''
}
