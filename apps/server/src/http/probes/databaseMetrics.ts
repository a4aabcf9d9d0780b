import { Gauge, Registry } from 'prom-client'
import { inTime } from '../../lib/inTime.ts'
import { readBacklog } from '../../store/webhook-endpoints/readBacklog.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { backlogMetrics } from './backlogMetrics.ts'
import { lagMetrics } from './lagMetrics.ts'
import { readLagsInTime } from './lags.ts'

/** Metrics that are read from the database. Every server reports the same values: take the maximum over servers. */
export function createDatabaseMetrics(context: HttpContext): {
  readonly registry: Registry
  /** Reads the values. Resolves without them if the database does not respond in time. */
  scrape(log: Parameters<typeof readLagsInTime>[1]): Promise<void>
} {
  const registry = new Registry()
  const databaseUp = new Gauge({
    name: 'payment_intents_database_up',
    help: '1 when the database responded to this scrape; without it there are no metrics of chains.',
    registers: [registry],
  })
  const lagsOfChains = lagMetrics(registry)
  const waiting = backlogMetrics(registry)

  async function scrape(log: Parameters<typeof readLagsInTime>[1]): Promise<void> {
    const { pool } = context.db
    const ids = context.followed.map(({ chainId }) => chainId)
    const [lags, backlog] = await Promise.all([
      readLagsInTime(context, log),
      context.database.isAway()
        ? null
        : inTime(
            readBacklog(pool, ids).catch(() => null),
            pool.options.connectionTimeoutMillis ?? 0,
          ),
    ])
    databaseUp.set(lags ? 1 : 0)
    lagsOfChains.set(context, lags ?? [])
    waiting.set(backlog)
  }

  return { registry, scrape }
}
