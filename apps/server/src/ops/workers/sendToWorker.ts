import type { Worker } from 'node:cluster'
import type { ToWorker } from './workerMessages.ts'

/** Sends a message to a worker. If the worker has just ended, an event reports it. */
export function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {})
}
