import { onTestFinished } from 'vitest'
import type { Db } from '../../../src/store/connection/connect.ts'

/** Holds the locks of a statement until the returned function is called or the test ends. */
export async function lock(
  { pool }: Db,
  sql: string,
  values: readonly unknown[] = [],
): Promise<() => Promise<void>> {
  const client = await pool.connect()
  await client.query('begin; set local idle_in_transaction_session_timeout = 0')
  await client.query(sql, [...values])
  let released: Promise<void> | null = null
  const release = () => {
    released ??= client.query('rollback').then(() => client.release())
    return released
  }
  onTestFinished(release)
  return release
}

/** Counts the connections to a database that wait for a lock. */
export async function countWaiting({ pool }: Db): Promise<number> {
  const { rowCount } = await pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rowCount ?? 0
}
