import type { FastifyBaseLogger } from 'fastify'
import { classifyDbError } from '../../lib/classifyDbError.ts'
import { inTime } from '../../lib/inTime.ts'
import { type Lag, readLags } from '../../store/chains/cursors.ts'
import type { HttpContext } from '../transport/httpContext.ts'

/**
 * The lag of each watched chain's reading; null if the database does not respond in the time that a request waits for a
 * connection, or a second by default: a probe interprets silence as a dead process.
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
