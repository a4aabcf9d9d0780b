import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Config } from '../../config.ts'
import { countWorkerRestarts } from '../../lib/metrics/processMetrics.ts'
import { firstSignal } from '../../lib/signals.ts'
import { openDatabase } from './openDatabase.ts'
import { send } from './sendToWorker.ts'
import { createSum } from './sumMetrics.ts'
import type { ToParent } from './workerMessages.ts'

/** The pause before a worker is replaced. It doubles with each worker that ends soon after its start. */
const shortestPauseMs = 100
const longestPauseMs = 10_000

/** `refused`: the worker cannot start and has printed the reason. A replacement would fail for the same reason. */
type End = { readonly how: string; readonly refused: boolean }

/**
 * Serves a port with several processes until a signal. This process, their parent, keeps the database running, replaces
 * workers that end, and waits for all of them as it stops. If the parent ends, the workers end at once.
 *
 * @returns the exit code
 * @throws {EmbeddedError | StartError} when there is no database
 */
export async function runWorkers(config: Config, log: Logger): Promise<0 | 1> {
  const { url: databaseUrl, pooled, close } = await openDatabase(config, log)
  const signalled = firstSignal()
  const stopping = new AbortController()
  const registry = new Registry()
  const restarts = countWorkerRestarts(registry)
  const addToSum = createSum(registry)
  let hasListened = false
  const listening = Promise.withResolvers<'listening'>()

  function run(number: number): Promise<End> {
    const { promise, resolve } = Promise.withResolvers<End>()
    const worker = cluster.fork()
    worker.on('message', ({ type }: ToParent) => {
      if (type === 'join') send(worker, { type: 'start', number, databaseUrl, pooled })
    })
    worker.once('listening', () => {
      addToSum(worker)
      hasListened = true
      listening.resolve('listening')
    })
    worker.once('exit', (code, signal) => {
      const refused = !hasListened && !signal && code !== 0
      resolve({ how: signal ?? `exit code ${code}`, refused })
    })
    // A process that could not be started emits no `exit`.
    worker.on('error', ({ message: how }) => worker.process.pid ?? resolve({ how, refused: false }))
    return promise
  }

  async function keepAlive(number: number): Promise<void> {
    let pauseMs = shortestPauseMs
    while (!stopping.signal.aborted) {
      const begun = performance.now()
      const { how: ended, refused } = await run(number)
      if (stopping.signal.aborted || refused) return
      if (performance.now() - begun > longestPauseMs) pauseMs = shortestPauseMs
      restarts.inc()
      log.error({ worker: number, ended }, 'a worker has ended; a new worker takes its place')
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    }
  }

  // Start the first worker alone, so that a refusal is printed once.
  const first = keepAlive(1)
  const supervised = [first]
  const begun = await Promise.race([listening.promise, first, signalled])
  if (begun === 'listening') {
    for (let number = 2; number <= config.workers; number += 1) supervised.push(keepAlive(number))
  }
  const signal = begun === 'listening' ? await signalled : begun
  stopping.abort()
  // Pass on the same signal: after SIGTERM, and only then, workers serve on until load balancers notice.
  for (const worker of Object.values(cluster.workers ?? {}))
    worker?.process.kill(signal ?? 'SIGTERM')
  await Promise.all(supervised)
  await close()
  return hasListened || signal ? 0 : 1
}
