import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentIntentStore, StoredCreation } from '@payment-intents/core'

type Running = { readonly fingerprint: string; readonly outcome: Promise<StoredCreation> }

/**
 * Coalesces requests with the same idempotency key: they wait in memory for the first, and get its response. If it
 * fails, the next request runs. Requests in other processes wait for the row that it inserts.
 */
export function createInFlight(options: {
  waitMs: number
}): PaymentIntentStore['withIdempotencyLock'] {
  const running = new Map<string, Running>()

  async function lead(name: string, fingerprint: string, work: () => Promise<StoredCreation>) {
    const outcome = work()
    running.set(name, { fingerprint, outcome })
    try {
      return await outcome
    } finally {
      running.delete(name)
    }
  }

  return async (merchant, idempotency, work) => {
    if (!idempotency) return work()
    const { key, fingerprint } = idempotency
    const name = JSON.stringify([merchant.id, merchant.mode, key])
    if (!running.has(name)) return lead(name, fingerprint, work)
    const over = new AbortController()
    const late = sleep(options.waitMs, 'late' as const, { signal: over.signal }).catch(() => null)
    try {
      for (;;) {
        const first = running.get(name)
        if (!first) return await lead(name, fingerprint, work)
        const outcome = await Promise.race([first.outcome.catch(() => null), late])
        if (outcome === 'late') return { type: 'in_flight' }
        if (outcome?.type !== 'created' && outcome?.type !== 'replayed') continue
        if (first.fingerprint !== fingerprint) return { type: 'mismatch' }
        return { ...outcome, type: 'replayed' }
      }
    } finally {
      over.abort()
    }
  }
}
