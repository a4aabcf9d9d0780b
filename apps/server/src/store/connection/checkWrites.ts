import type { Db } from './connect.ts'

/**
 * Writes one row durably, and allocates space on the disk of the database: on a full disk, a row that has room in its
 * page is still written. The space is that of a temporary file, because a table would keep it, and the next check would
 * reuse it.
 * @throws PostgreSQL's error at a creation
 */
export async function checkWrites({ pool }: Db): Promise<void> {
  await pool.query(checkStatements)
}

/** Sent together, so they are one transaction. The series needs 170 kB: more than work_mem, so it becomes a file. */
const checkStatements = `set local work_mem = '64kB';
  select count(*) from generate_series(1, 10000);
  insert into write_checks (id, checked_at) values (1, now())
  on conflict (id) do update set checked_at = excluded.checked_at`
