import { type Db, transaction } from './connect.ts'

/**
 * Writes one row durably, and allocates space on the disk of the database: on a full disk, a row that has room in its page
 * is still written. The space is that of a temporary file, because a table would keep it, and the next check would find it there.
 *
 * @throws what PostgreSQL throws at a creation
 */
export async function checkWrites(db: Db): Promise<void> {
  await transaction(db, async (client) => {
    await client.query("set local work_mem = '64kB'")
    // 170 kB: more than work_mem, so it becomes a file.
    await client.query('select count(*) from generate_series(1, 10000)')
    await client.query(
      `insert into write_checks (id, checked_at) values (1, now())
       on conflict (id) do update set checked_at = excluded.checked_at`,
    )
  })
}
