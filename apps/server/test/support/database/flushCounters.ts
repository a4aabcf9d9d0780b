import type { Db } from '../../../src/store/connection/connect.ts'

/** Makes each connection of a pool add its counters to `pg_stat_user_tables`. */
export async function flushCounters({ pool }: Db): Promise<void> {
  const size = pool.options.max ?? 10
  const clients = await Promise.all(Array.from({ length: size }, () => pool.connect()))
  try {
    await Promise.all(clients.map((client) => client.query('select pg_stat_force_next_flush()')))
  } finally {
    for (const client of clients) client.release()
  }
}
