import pg from 'pg'
import { StartError } from '../lib/startError.ts'
import { awaitDatabase } from '../store/connection/awaitDatabase.ts'
import { applicationName, connect, type Db } from '../store/connection/connect.ts'
import { checkMigrated, migrate } from '../store/migrate.ts'
import { type EmbeddedCluster, startEmbedded } from './postgres/embedded.ts'
import { isUsedByOthers } from './postgres/users.ts'

export type OpenDb = {
  readonly db: Db
  /** Holds the password, so it is never logged. */
  readonly url: string
  /** null: the operator runs the PostgreSQL. */
  readonly embedded: EmbeddedCluster | null
  /** The names of the migrations that this call applied. */
  readonly migrated: readonly string[]
  close(): Promise<void>
}

/**
 * Connects to the configured PostgreSQL, or without one to the embedded PostgreSQL. Brings its tables up to date, or
 * only checks that they are.
 *
 * @param options.cluster a server owns the embedded cluster and stops it as it closes, even a cluster that it took over
 *   from a killed server. A command borrows it, and stops it only if the command started it. Neither stops a cluster
 *   that other processes use
 */
export async function openDb(options: {
  databaseUrl: string | null
  dataDir: string
  /** false: only checks that the tables are up to date. */
  databaseMigrate?: boolean
  poolSize: number
  cluster: 'own' | 'borrow'
  /** Seconds to wait for a PostgreSQL that is down or starting. */
  waitSeconds: number
  /** Receives a sentence about a wait or a change; prints it by default. */
  report?(sentence: string): void
  onError?(error: Error): void
}): Promise<OpenDb> {
  const { report = console.error } = options
  const embedded = options.databaseUrl ? null : await startEmbedded(options.dataDir, { report })
  const url = options.databaseUrl ?? embedded?.url ?? ''
  const databaseKind =
    options.databaseUrl && (await awaitDatabase(url, { seconds: options.waitSeconds, report }))
  const db = connect({ ...options, url, pooled: databaseKind === 'pooled' })
  const close = async () => {
    await db.pool.end()
    if (!embedded || (options.cluster === 'borrow' && !embedded.started)) return
    if (!(await isUsedByOthers(url, applicationName))) await embedded.stop()
  }
  try {
    const migrated = await (options.databaseMigrate === false ? checkMigrated(db) : migrate(db))
    return { db, url, embedded, migrated, close }
  } catch (error) {
    // Report the first error, not an error of closing.
    await close().catch(() => {})
    if (!(error instanceof pg.DatabaseError)) throw error
    throw new StartError(
      `The tables of the database could not be made or changed (${error.message}): correct that, such as the rights of the user in DATABASE_URL, or run the command migrate as a user who has them and set DATABASE_MIGRATE=false here.`,
      { cause: error },
    )
  }
}
