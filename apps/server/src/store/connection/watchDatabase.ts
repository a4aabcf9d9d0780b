import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { classifyDbError, type WriteFault, writeFaultOf } from '../../lib/classifyDbError.ts'
import type { Db } from './connect.ts'
import { watchWrites } from './watchWrites.ts'

/** Tracks whether the database responds and accepts writes. Logs each outage once, not for each request that fails. */
export type DatabaseWatch = {
  /** Accepts any error. A fault of the database starts probes, which end when the database responds. */
  report(error: unknown): void
  isAway(): boolean
  /** The reason why the database responds but accepts no writes; null: it accepts them. */
  writeFault(): WriteFault | null
  /** Calls back as each outage begins. */
  onAway(listener: () => void): void
  stop(): Promise<void>
}

type Log = Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>

/** The shortest time between two log lines about requests that fail while the database responds to probes. */
const slowEveryMs = 10_000
const probeEveryMs = 250

/**
 * @param pools of the same database. Their broken connections are reported. A probe opens a connection of its own, with
 *   the options of the first pool, since a pool may be exhausted. Write checks use the last pool
 */
export function watchDatabase(pools: readonly [Db, ...Db[]], log?: Log): DatabaseWatch {
  const [db] = pools
  const writes = watchWrites(pools.at(-1) ?? db, log)
  const listeners: (() => void)[] = []
  const stopping = new AbortController()
  let away = false
  let slowLoggedAt = Number.NEGATIVE_INFINITY
  let probing: Promise<void> | null = null

  async function probe(cause: Error): Promise<void> {
    const since = performance.now()
    while (!stopping.signal.aborted) {
      const error = await probeOnce(db)
      if (error === null) break
      if (!away) {
        away = true
        log?.error({ reason: error.message }, 'the database does not respond')
        for (const listener of listeners) listener()
      }
      await sleep(probeEveryMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
    if (stopping.signal.aborted) return
    if (!away) return logSlow(cause)
    away = false
    const seconds = Math.round(performance.now() - since) / 1_000
    log?.info({ seconds }, 'the database responds again')
  }

  function logSlow(cause: Error): void {
    if (performance.now() < slowLoggedAt + slowEveryMs) return
    slowLoggedAt = performance.now()
    log?.warn(
      { reason: cause.message },
      'the database responds too late, or not to every connection',
    )
  }

  function report(error: unknown): void {
    if (classifyDbError(error) === null || stopping.signal.aborted) return
    const writeFault = writeFaultOf(error)
    if (writeFault) writes.report(error as Error, writeFault)
    else {
      probing ??= probe(error as Error).finally(() => {
        probing = null
      })
    }
  }

  for (const { pool } of pools) pool.on('error', report)
  return {
    report,
    isAway: () => away,
    writeFault: writes.fault,
    onAway: (listener) => void listeners.push(listener),
    async stop() {
      stopping.abort()
      for (const { pool } of pools) pool.off('error', report)
      await probing
      await writes.stop()
    },
  }
}

/** Waits no longer than a request waits for a connection of the pool. */
async function probeOnce({ pool }: Db): Promise<Error | null> {
  const { connectionTimeoutMillis } = pool.options
  const client = new pg.Client({
    ...pool.options,
    ...(connectionTimeoutMillis ? { query_timeout: connectionTimeoutMillis } : {}),
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return null
  } catch (error) {
    return error as Error
  } finally {
    // Do not wait: `end` never resolves for a connection that was never established.
    void client.end().catch(() => {})
  }
}
