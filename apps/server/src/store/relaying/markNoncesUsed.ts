import type { Queryable } from '../connection/connect.ts'

/** Marks authorizations whose nonce was used, but not by a transaction of a relayer. They are then not withdrawn. */
export async function markNoncesUsed(db: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.query({
    name: 'mark-nonces-used',
    text: `
      update authorizations set nonce_used_at = now()
      where id = any ($1) and status = 'in_flight' and nonce_used_at is null`,
    values: [ids],
  })
}
