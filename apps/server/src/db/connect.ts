import pg from 'pg'

/** What a statement runs on: the pool, or the client of one transaction. */
export type Queryable = Pick<pg.Pool | pg.PoolClient, 'query'>

/** Whoever needs a connection outside the pool, such as to listen, makes it from the pool's options. */
export type Db = { readonly pool: pg.Pool }

const { builtins } = pg.types
const parsers = new Map<number, (text: string) => unknown>([
  // Counts and amounts of 64 bits and more are exact only as bigint.
  [builtins.INT8, BigInt],
  [builtins.NUMERIC, BigInt],
])

/** Opens a pool; connections are made when first needed. */
export function connect(options: {
  url: string
  poolSize: number
  onError(error: Error): void
}): Db {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 10_000,
    // A half-open connection is found within seconds, not after the kernel's two hours.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'payment-intents',
    // A process that stands still in a transaction keeps its locks no longer: its statements take milliseconds.
    idle_in_transaction_session_timeout: 10_000,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        (format !== 'binary' && parsers.get(oid)) || pg.types.getTypeParser(oid, format),
    } as pg.CustomTypesConfig,
  })
  // An idle connection that breaks is replaced at the next query; without a listener it would end the process.
  // `pool.end()` does not wait for its connections: a PostgreSQL that stops next may still report on one.
  pool.on('error', (error) => {
    if (!pool.ending) options.onError(error)
  })
  // pg emits 'error' on a checked-out client whose connection breaks; without a listener the process would exit.
  pool.on('connect', (client) => client.on('error', () => {}))
  return { pool }
}

/** Runs `work` in one transaction: all of it is committed, or none. */
export async function transaction<Result>(
  db: Db,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = await db.pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    // When even the rollback fails, the connection is dropped, and the database rolls back by itself.
    await client.query('rollback').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    client.release(broken)
  }
}

/** The one row of a statement that always returns one. */
export function one<Row>(result: { rows: Row[] }): Row {
  const [row] = result.rows
  if (!row || result.rows.length > 1) throw new Error(`Expected one row, got ${result.rows.length}`)
  return row
}

/** Whether an error is PostgreSQL's, with this SQLSTATE. */
export function isSqlState(error: unknown, code: string): boolean {
  return error instanceof pg.DatabaseError && error.code === code
}
