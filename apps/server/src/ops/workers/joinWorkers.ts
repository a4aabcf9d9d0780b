import type { Registry } from 'prom-client'
import type { ToParent, ToWorker } from './workerMessages.ts'

/** A worker's own view of the workers that serve one port. */
export type Worker = {
  /** From 1; the one that replaces it has the same. */
  readonly number: number
  /** Holds the password, so it is never logged. */
  readonly databaseUrl: string
  /** A pooler is in front of the database. */
  readonly pooled: boolean
  /** Lends this worker's metrics to the sum. @returns what prints the sum over all workers */
  sumMetrics(registry: Registry): () => Promise<string>
}

/** Requests the start message from the parent. Node.js 20 loses a message that comes before anybody listens. */
export async function joinWorkers(): Promise<Worker> {
  const started = new Promise<ToWorker & { type: 'start' }>((resolve) =>
    process.once('message', resolve),
  )
  send({ type: 'join' })
  const { number, databaseUrl, pooled } = await started
  return { number, databaseUrl, pooled, sumMetrics }
}

function sumMetrics(registry: Registry): () => Promise<string> {
  const waiting = new Map<number, (text: string) => void>()
  let scrapes = 0
  process.on('message', async (message: ToWorker) => {
    if (message.type === 'measure') {
      const metrics = await registry.getMetricsAsJSON()
      send({ type: 'measured', scrape: message.scrape, metrics })
    }
    if (message.type === 'summed') {
      waiting.get(message.scrape)?.(message.text)
      waiting.delete(message.scrape)
    }
  })
  return () => {
    scrapes += 1
    const scrape = scrapes
    const { promise, resolve } = Promise.withResolvers<string>()
    waiting.set(scrape, resolve)
    send({ type: 'sum', scrape })
    return promise
  }
}

function send(message: ToParent): void {
  process.send?.(message)
}
