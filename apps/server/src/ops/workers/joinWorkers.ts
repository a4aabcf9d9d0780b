import type { Registry } from 'prom-client'
import type { ToParent, ToWorker } from './workerMessages.ts'

/** One of the worker processes that serve a port together. */
export type Worker = {
  /** From 1. The replacement of a worker has its number. */
  readonly number: number
  /** Holds the password, so it is never logged. */
  readonly databaseUrl: string
  /** Whether a pooler is in front of the database. */
  readonly pooled: boolean
  /** Adds this worker's metrics to the sum. @returns a function that prints the sum over all workers */
  sumMetrics(registry: Registry): () => Promise<string>
}

/**
 * Requests the start message from the parent, which must not send it earlier: Node.js 20 loses a message that arrives
 * before there is a listener.
 */
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
