import type { FastifyBaseLogger } from 'fastify'
import { classifyDbError } from '../../lib/classifyDbError.ts'
import { inTime } from '../../lib/inTime.ts'
import { type Lag, readLags } from '../../store/chains/cursors.ts'
import type { HttpContext } from '../transport/httpContext.ts'

/**
 * Reads how far the reading of each watched chain lags behind. null: the database did not respond within the time that
 * a request waits for a connection.
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
