import type { FastifyBaseLogger } from 'fastify'
import { classifyDbError } from '../../lib/classifyDbError.ts'
import { inTime } from '../../lib/inTime.ts'
import { type Lag, readLags } from '../../store/chains/cursors.ts'
import type { HttpContext } from '../transport/httpContext.ts'

/**
 * How far the reading of each watched chain is behind; null when the database has not said so by the time that a request
 * gives up waiting for a connection, a second by default: a probe takes silence for a dead process.
 */
export async function readLagsInTime(
  { db, database }: Pick<HttpContext, 'db' | 'database'>,
  log: FastifyBaseLogger,
): Promise<Lag[] | null> {
  if (database.isAway()) return null
  const lags = readLags(db.pool).catch((error: Error) => {
    database.report(error)
    if (classifyDbError(error) === null) log.warn({ err: error }, 'the lag could not be read')
    return null
  })
  return inTime(lags, db.pool.options.connectionTimeoutMillis ?? 0)
}
