import type { Worker } from 'node:cluster'
import type { ToWorker } from './workerMessages.ts'

/** Sends a message to a worker; that one has just ended is reported by an event. */
export function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {})
}
