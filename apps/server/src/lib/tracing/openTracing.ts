import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Db } from '../../store/connection/connect.ts'
import type { TracingConfig } from './readTracing.ts'
import type { Traced } from './traced.ts'

export type Tracing = {
  /** Traces each request as a span, except probes and scrapes. */
  requests(app: FastifyInstance): void
  /** Traces each statement within a span as a span of its own. */
  statements(db: Db): void
  readonly traced: Traced
  /** Sends the remaining spans, for two seconds at most. */
  stop(): Promise<void>
}

/** Loads the tracing libraries. Call it only if tracing is on: they take memory and time to load. */
export async function openTracing(
  config: TracingConfig,
  log: Pick<Logger, 'warn' | 'info'>,
): Promise<Tracing> {
  const [{ openTracer }, { traceRequests }, { traceStatements }, { tracedBy }] = await Promise.all([
    import('./tracer.ts'),
    import('./traceRequests.ts'),
    import('./traceStatements.ts'),
    import('./tracedBy.ts'),
  ])
  const { tracer, stop } = openTracer(config, log)
  return {
    requests: (app) => traceRequests(app, tracer),
    statements: (db) => traceStatements(db.pool, tracer),
    traced: tracedBy(tracer),
    stop,
  }
}
