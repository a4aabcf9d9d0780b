import type { Worker } from 'node:cluster'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { inTime } from '../../lib/inTime.ts'
import { send } from './sendToWorker.ts'
import type { Measured, ToParent } from './workerMessages.ts'

/** The timeout of a worker's metrics. Without a response, its previous metrics count. */
const patienceMs = 1_000

/**
 * Sends the summed metrics of all workers to each worker that requests them. Counters and histograms of a worker that
 * has ended stay in the sum: Prometheus would take a lower sum for a restart, and count the remaining sum again.
 *
 * @param parent the metrics of this process, which belong to the sum
 * @returns a function that adds a worker
 */
export function createSum(parent: Registry): (worker: Worker) => void {
  const last = new Map<Worker, Measured>()
  const waiting = new Map<number, (metrics: Measured) => void>()
  let ended: Measured = []
  let scrapes = 0

  function measure(worker: Worker): Promise<Measured | null> {
    scrapes += 1
    const scrape = scrapes
    const { promise, resolve } = Promise.withResolvers<Measured>()
    waiting.set(scrape, resolve)
    send(worker, { type: 'measure', scrape })
    return inTime(promise, patienceMs).finally(() => waiting.delete(scrape))
  }

  async function sum(): Promise<string> {
    await Promise.all(
      [...last.keys()].map(async (worker) => {
        const metrics = await measure(worker)
        if (metrics && last.has(worker)) last.set(worker, metrics)
      }),
    )
    return aggregate([...last.values(), ended, await parent.getMetricsAsJSON()]).metrics()
  }

  return (worker) => {
    last.set(worker, [])
    worker.on('message', async (message: ToParent) => {
      if (message.type === 'measured') waiting.get(message.scrape)?.(message.metrics)
      if (message.type !== 'sum') return
      send(worker, { type: 'summed', scrape: message.scrape, text: await sum() })
    })
    worker.once('exit', async () => {
      const counted = (last.get(worker) ?? []).filter(({ type }) => counts.has(`${type}`))
      last.delete(worker)
      ended = [...ended, ...counted]
      ended = await aggregate([ended]).getMetricsAsJSON()
    })
  }
}

const counts = new Set(['counter', 'histogram'])

function aggregate(measured: readonly Measured[]) {
  // The cast is safe: the call changes no metric, and reads less than its type requires.
  return AggregatorRegistry.aggregate(measured as unknown as object[])
}
