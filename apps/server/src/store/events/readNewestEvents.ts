import type { Queryable } from '../connection/connect.ts'

/**
 * The number of the newest event of merchants and modes, by their names; absent without an event. It grows with each
 * committed event, before that has its position.
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
