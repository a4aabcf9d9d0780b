import type { Queryable } from '../connection/connect.ts'

/** Finds the endpoints that are disabled or deleted. */
export async function findInactiveEndpoints(
  db: Queryable,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'find-inactive-endpoints',
    text: `
      select id from unnest($1::text[]) as input (id)
      where not exists (
        select 1 from webhook_endpoints e where e.id = input.id and e.disabled_reason is null
      )`,
    values: [ids],
  })
  return rows.map(({ id }) => id)
}
