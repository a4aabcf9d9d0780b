import type { Worker } from 'node:cluster'
import type { ToWorker } from './workerMessages.ts'

/** Sends a message to a worker. Ignores a worker that has just ended: its `exit` event reports that. */
export function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {})
}
