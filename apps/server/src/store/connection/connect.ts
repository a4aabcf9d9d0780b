import pg from 'pg'
import { classifyDbError } from '../../lib/classifyDbError.ts'
import { PooledClient } from './pooledClient.ts'

/** Runs a statement: the pool, or the client of a transaction. */
export type Queryable = Pick<pg.Pool | pg.PoolClient, 'query'>

/** A connection outside the pool, such as the listener's, uses the options of the pool. */
export type Db = {
  readonly pool: pg.Pool
  /**
   * Set behind a pooler, which lends a connection of PostgreSQL for each transaction. So no statement is prepared, and
   * each transaction begins by setting the limits that a connection of its own would have.
   */
  readonly pooler?: { readonly begin: string }
}

/** Names this process's connections in `pg_stat_activity`. */
export const applicationName = `payment-intents ${process.pid}`

const { builtins } = pg.types
const parsers = new Map<number, (text: string) => unknown>([
  // Counts and amounts of 64 bits and more are exact only as bigint.
  [builtins.INT8, BigInt],
  [builtins.NUMERIC, BigInt],
])

/** The milliseconds after which a wait fails. */
export type Timeouts = {
  /** For a new or free connection. */
  readonly connect: number
  readonly statement: number
  /** For a lock that another transaction holds. */
  readonly lock: number
}

/** Timeouts of the server's own work, for which no request waits. */
const patient: Timeouts = { connect: 10_000, statement: 60_000, lock: 2_000 }

/**
 * Timeouts of requests. None is longer than the statement's, so that no response waits long for a silent database.
 */
export function requestTimeouts(statement: number): Timeouts {
  return { connect: statement / 2, statement, lock: Math.min(patient.lock, statement * 0.75) }
}

/** Creates a pool. It opens connections when they are needed. */
export function connect(options: {
  url: string
  poolSize: number
  timeouts?: Timeouts
  /** Whether connections go through a pooler. */
  pooled?: boolean
  /** Called for each idle connection that breaks. */
  onError?(error: Error): void
}): Db {
  const { timeouts = patient, pooled = false } = options
  const limits = {
    // PostgreSQL ends a slow statement itself.
    statement_timeout: Math.round(timeouts.statement * 0.9),
    lock_timeout: Math.round(timeouts.lock),
    // A process that is suspended in a transaction loses its locks after this time.
    idle_in_transaction_session_timeout: Math.max(10_000, timeouts.lock),
  }
  const pool = new pg.Pool({
    Client: PooledClient,
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: timeouts.connect,
    // The client gives up on a PostgreSQL that does not respond.
    query_timeout: timeouts.statement,
    // PgBouncer refuses connections that request them.
    ...(pooled ? {} : limits),
    // Without probes, the kernel would notice a half-open connection after two hours.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: applicationName,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        (format !== 'binary' && parsers.get(oid)) || pg.types.getTypeParser(oid, format),
    } as pg.CustomTypesConfig,
  })
  // Without a listener, an idle connection that breaks would end the process. The next query replaces it. `pool.end()`
  // does not wait for its connections: if PostgreSQL stops next, a connection may still report an error.
  pool.on('error', (error) => {
    if (!pool.ending) options.onError?.(error)
  })
  // Without a listener, a checked-out client whose connection breaks would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  if (!pooled) return { pool }
  pool.on('connect', withoutNames)
  const settings = Object.entries(limits).map(([name, ms]) => `set local ${name} = ${ms}`)
  return { pool, pooler: { begin: ['begin', ...settings].join('; ') } }
}

/**
 * Prevents prepared statements: the next statement of the same name may reach a connection that has not prepared it.
 */
function withoutNames(client: pg.PoolClient): void {
  // biome-ignore lint/suspicious/noExplicitAny: `query` of pg has a dozen signatures
  const query: (...args: any[]) => any = client.query.bind(client)
  client.query = (statement: unknown, ...others: unknown[]) =>
    query(typeof statement === 'object' ? { ...statement, name: undefined } : statement, ...others)
}

/** Runs `work` in a transaction: commits all of it, or nothing. */
export async function transaction<Result>(
  db: Db,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = await db.pool.connect()
  let broken: Error | undefined
  try {
    await client.query(db.pooler?.begin ?? 'begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    const kind = classifyDbError(error)
    // Drop a connection that does not respond: the database rolls back by itself. After a failover, also drop a
    // connection to the old primary: by now the address leads to the new primary.
    if (kind === 'away' || kind === 'read_only') broken = error as Error
    else {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure
      })
    }
    throw error
  } finally {
    client.release(broken)
  }
}

/** The row of a statement that always returns exactly one. */
export function onlyRow<Row>(result: { rows: Row[] }): Row {
  const [row] = result.rows
  if (!row || result.rows.length > 1) throw new Error(`Expected one row, got ${result.rows.length}`)
  return row
}

/** Whether an error is PostgreSQL's, with this SQLSTATE. */
export function isSqlState(error: unknown, code: string): boolean {
  return error instanceof pg.DatabaseError && error.code === code
}
