import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { type Lag, readLags } from '../db/chains/cursors.ts'
import { troubleOf } from '../db/trouble.ts'
import type { HttpContext } from './context.ts'

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
    if (troubleOf(error) === null) log.warn({ err: error }, 'the lag could not be read')
    return null
  })
  return inTime(lags, db.pool.options.connectionTimeoutMillis ?? 0)
}

/** What is there by then, else null. */
export async function inTime<Value>(asked: Promise<Value>, ms: number): Promise<Value | null> {
  const over = new AbortController()
  const late = sleep(ms, null, { signal: over.signal }).catch(() => null)
  return Promise.race([asked, late]).finally(() => over.abort())
}
