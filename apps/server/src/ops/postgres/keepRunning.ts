import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { EmbeddedCluster } from './embedded.ts'

const everyMs = 1_000

/** Restarts the embedded PostgreSQL whenever it ends, until `stop` is called. */
export function keepRunning(
  cluster: Pick<EmbeddedCluster, 'restart'>,
  database: { isAway(): boolean; onAway(listener: () => void): void },
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  let restarting: Promise<void> | null = null

  async function restart(): Promise<void> {
    let failures = 0
    while (database.isAway() && !stopping.signal.aborted) {
      try {
        if (await cluster.restart()) {
          log.warn('the embedded PostgreSQL had ended, and was started again')
        }
      } catch (error) {
        failures += 1
        const fields = { failures, reason: (error as Error).message }
        if (Number.isInteger(Math.log2(failures))) {
          log.error(fields, 'the embedded PostgreSQL does not start')
        }
      }
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  database.onAway(() => {
    restarting ??= restart().finally(() => {
      restarting = null
    })
  })
  return {
    async stop() {
      stopping.abort()
      await restarting
    },
  }
}
