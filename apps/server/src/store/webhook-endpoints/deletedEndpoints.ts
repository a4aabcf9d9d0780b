import type { Queryable } from '../connection/connect.ts'

/** Returns the endpoints that no longer receive anything: disabled or deleted. */
export async function findDeletedEndpoints(
  db: Queryable,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'find-deleted-endpoints',
    text: `
      select id from unnest($1::text[]) as input (id)
      where not exists (
        select 1 from webhook_endpoints e where e.id = input.id and e.disabled_reason is null
      )`,
    values: [ids],
  })
  return rows.map(({ id }) => id)
}
