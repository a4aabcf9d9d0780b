import type { Queryable } from '../connection/connect.ts'

/**
 * Reads a number for each merchant and mode that grows with each committed event, even before the event has a position.
 * @param names from `nameOf`
 */
export async function readNewestEvents(
  db: Queryable,
  names: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ name: string; newest: number }>({
    name: 'read-newest-events',
    text: `
      select name, coalesce((
        select position from events
        where merchant_id = split_part(name, ' ', 1) and mode = split_part(name, ' ', 2)
          and position is not null
        order by position desc limit 1
      ), 0)::float8 + (
        select count(*) from events
        where merchant_id = split_part(name, ' ', 1) and mode = split_part(name, ' ', 2)
          and position is null
      ) as newest
      from unnest($1::text[]) name`,
    values: [names],
  })
  return new Map(rows.map(({ name, newest }) => [name, newest]))
}
