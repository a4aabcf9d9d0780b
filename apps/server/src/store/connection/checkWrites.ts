import type { Db } from './connect.ts'

/**
 * Writes a row durably, and allocates space on the disk of the database: even on a full disk, a row that fits into its
 * page can be written. The space is that of a temporary file, since a table would keep it for the next check.
 * @throws the error that PostgreSQL would raise at a creation
 */
export async function checkWrites({ pool }: Db): Promise<void> {
  await pool.query(checkStatements)
}

/**
 * Sent together, the statements are a transaction. The series takes 170 kB, more than `work_mem`, so it becomes a file.
 */
const checkStatements = `set local work_mem = '64kB';
  select count(*) from generate_series(1, 10000);
  insert into write_checks (id, checked_at) values (1, now())
  on conflict (id) do update set checked_at = excluded.checked_at`
