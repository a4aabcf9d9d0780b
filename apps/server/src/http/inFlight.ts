import { setTimeout as sleep } from 'node:timers/promises'
import type { IdempotentRequest, StoredCreation } from '../intents/storeCreations.ts'

type Running = { readonly hash: string; readonly outcome: Promise<StoredCreation> }

/** Does what a request with an idempotency key asks for, unless this process is doing it already. */
export type InFlight = (
  merchant: { readonly id: string; readonly mode: string },
  request: IdempotentRequest | null,
  work: () => Promise<StoredCreation>,
) => Promise<StoredCreation>

/**
 * Requests with one key wait in memory for the first of them, and share its answer; if it fails, the next one is the
 * first. Those of other processes wait for its row.
 */
export function createInFlight(options: { waitMs: number }): InFlight {
  const running = new Map<string, Running>()

  async function lead(name: string, hash: string, work: () => Promise<StoredCreation>) {
    const outcome = work()
    running.set(name, { hash, outcome })
    try {
      return await outcome
    } finally {
      running.delete(name)
    }
  }

  return async (merchant, request, work) => {
    if (!request) return work()
    const name = JSON.stringify([merchant.id, merchant.mode, request.route, request.key])
    if (!running.has(name)) return lead(name, request.hash, work)
    const over = new AbortController()
    const late = sleep(options.waitMs, 'late' as const, { signal: over.signal }).catch(() => null)
    try {
      for (;;) {
        const first = running.get(name)
        if (!first) return await lead(name, request.hash, work)
        const outcome = await Promise.race([first.outcome.catch(() => null), late])
        if (outcome === 'late') return { type: 'in_flight' }
        if (outcome?.type !== 'created' && outcome?.type !== 'replayed') continue
        if (first.hash !== request.hash) return { type: 'mismatch' }
        return { ...outcome, type: 'replayed' }
      }
    } finally {
      over.abort()
    }
  }
}
