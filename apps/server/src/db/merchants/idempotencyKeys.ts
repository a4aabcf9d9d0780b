import type { Queryable } from '../connect.ts'

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
