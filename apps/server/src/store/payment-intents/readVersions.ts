import type { Queryable } from '../connection/connect.ts'

/** Reads the versions of intents, by id. An intent that does not exist has none. */
export async function readVersions(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: string; version: number }>({
    name: 'read-versions',
    text: 'select id, version from payment_intents where id = any($1)',
    values: [ids],
  })
  return new Map(rows.map(({ id, version }) => [id, version]))
}
