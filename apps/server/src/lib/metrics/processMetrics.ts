import { Counter, Gauge, type Registry } from 'prom-client'
import type { Db } from '../../store/connection/connect.ts'
import { version } from '../../version.ts'

export type ProcessMetrics = {
  /** Reports the connections of a pool at each scrape. */
  watchPool(name: string, db: Db): void
}

/** Metrics of this process: its connections, its workers and its version. */
export function processMetrics(registry: Registry): ProcessMetrics {
  const registers = [registry]
  const pools = new Map<string, Db>()
  const states = ['in_use', 'idle', 'waiting'] as const
  const connections = new Gauge({
    name: 'payment_intents_database_connections',
    help: 'Connections of a pool that are in use or idle, and requests that wait for one.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { pool: of }] of pools) {
        const counts = { in_use: of.totalCount - of.idleCount, idle: of.idleCount }
        const all = { ...counts, waiting: of.waitingCount }
        for (const state of states) connections.set({ pool, state }, all[state])
      }
    },
  })
  countWorkerRestarts(registry)
  new Gauge({
    name: 'payment_intents_build_info',
    help: 'Always 1; the label is the version of the server.',
    // All workers run the same version.
    ...{ labelNames: ['version'], registers, aggregator: 'max' },
  }).set({ version }, 1)
  return { watchPool: (name, db) => void pools.set(name, db) }
}

/** Only the parent of workers counts; the counter is 0 in every other process. */
export function countWorkerRestarts(registry: Registry): Counter {
  return new Counter({
    name: 'payment_intents_worker_restarts_total',
    help: 'Workers that ended, and whose place a new worker took.',
    registers: [registry],
  })
}
