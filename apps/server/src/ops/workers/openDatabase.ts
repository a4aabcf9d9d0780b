import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { type Db, onlyRow } from '../../store/connection/connect.ts'
import { watchDatabase } from '../../store/connection/watchDatabase.ts'
import { openDb } from '../openDb.ts'
import { keepRunning } from '../postgres/keepRunning.ts'

const probeEveryMs = 1_000
/** Connections of a worker, in addition to those for requests and one for each chain. */
const moreConnections = 4

/**
 * Brings the tables up to date, and keeps the embedded PostgreSQL running until closed.
 *
 * @returns the URL for workers, which holds the password and is never logged, and whether it leads to a pooler
 */
export async function openDatabase(
  config: Config,
  log: Logger,
): Promise<{ url: string; pooled: boolean; close(): Promise<void> }> {
  const { db, url, embedded, close } = await openDb({
    ...{ ...config, poolSize: 1, cluster: 'own' },
    report: (sentence) => log.warn(sentence),
  })
  const pooled = db.pooler !== undefined
  await warnOfConnections(db, config, log)
  if (!embedded) {
    await close()
    return { url, pooled, close: async () => {} }
  }
  // Without logs: each worker logs an outage itself.
  const database = watchDatabase([db])
  const keeper = keepRunning(embedded, database, log)
  const probe = setInterval(() => db.pool.query('select 1').catch(database.report), probeEveryMs)
  return {
    ...{ url, pooled },
    async close() {
      clearInterval(probe)
      await database.stop()
      await keeper.stop()
      await close()
    },
  }
}

/**
 * Warns if the database accepts too few connections. Pools open them on demand, so refusals would come only under load.
 */
async function warnOfConnections({ pool }: Db, config: Config, log: Logger): Promise<void> {
  const { workers, poolSize, chains } = config
  const maxConnections = workers * (poolSize + chains.length + moreConnections)
  const { free } = onlyRow(
    await pool.query<{ free: number }>(
      `select current_setting('max_connections')::int
         - current_setting('superuser_reserved_connections')::int as free`,
    ),
  )
  if (maxConnections <= free) return
  log.warn(
    `WORKERS: ${workers} workers open up to ${maxConnections} connections and the database takes ${free}; lower WORKERS or DATABASE_POOL_SIZE, or raise max_connections there`,
  )
}
