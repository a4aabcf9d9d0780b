import { classifyDbError } from '../lib/classifyDbError.ts'
import type { Db } from '../store/connection/connect.ts'
import { type Settled, settleDeliveries } from '../store/webhook-endpoints/claims.ts'
import type { FailedEndpoint } from '../store/webhook-endpoints/webhookEndpoints.ts'
import { disableFailedEndpoint } from './disableFailedEndpoint.ts'

export type Settler = {
  /** Writes an outcome soon, together with others. */
  add(settled: Settled): void
  /** Resolves when all outcomes are written. */
  flush(): Promise<void>
}

const batchSize = 500

/**
 * Writes the outcomes of deliveries. Those that arrive during a write are written together next. An outcome that cannot
 * be written is lost: its delivery is due again when its claim expires.
 */
export function createSettler({
  db,
  now,
  disabled,
  failed,
}: {
  readonly db: Db
  readonly now: () => number
  /** Called after an endpoint was disabled, since it is gone or failed for too long. */
  readonly disabled: (endpoint: FailedEndpoint) => void
  readonly failed: (error: unknown, message: string) => void
}): Settler {
  const waiting: Settled[] = []
  let writing: Promise<void> | null = null

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) await write(waiting.splice(0, batchSize))
    // Reset in the same turn as the check, so that a later outcome starts another write.
    writing = null
  }

  async function write(batch: readonly Settled[]): Promise<void> {
    try {
      for (const endpoint of await settleDeliveries(db.pool, batch)) await disable(endpoint)
    } catch (error) {
      // The database may refuse a single row: write each outcome alone.
      if (batch.length > 1 && classifyDbError(error) === null) {
        for (const delivery of batch) await write([delivery])
        return
      }
      failed(error, 'the outcomes of webhooks could not be written')
    }
  }

  async function disable(endpoint: FailedEndpoint): Promise<void> {
    try {
      if ((await disableFailedEndpoint(db, endpoint, now())) !== 'unchanged') disabled(endpoint)
    } catch (error) {
      // The next failure of this endpoint tries again.
      failed(error, 'a webhook endpoint could not be disabled')
    }
  }

  return {
    add(settled) {
      waiting.push(settled)
      writing ??= writeAll()
    },
    async flush() {
      await writing
    },
  }
}
