import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseWatch } from '../store/connection/watchDatabase.ts'
import { classifyDbError } from './classifyDbError.ts'

/** Work that only the process with the lease does. */
export type LeasedWork<Lease> = {
  /** null: another process holds it. */
  readonly acquire: () => Promise<Lease | null>
  /** After the lease is lost it may reject or resolve: the next write of the work fails. */
  readonly renew: (lease: Lease) => Promise<void>
  readonly release: (lease: Lease) => Promise<void>
  /** Milliseconds between renewals, far less than a lease lasts. */
  readonly renewMs: number
  /**
   * Works until the signal is aborted, or until it cannot continue here. `succeeded` ends the backoff.
   * @throws if the lease is lost, or another process may succeed
   */
  readonly work: (lease: Lease, succeeded: () => void) => Promise<void>
  /** Called after a failure. Errors of the database go to `database` instead. `failures` in a row, from 1. */
  readonly failed: (error: unknown, failures: number) => void
  readonly database: Pick<DatabaseWatch, 'report'>
  /** Milliseconds until the next attempt while another process holds the lease, and after the database failed. */
  readonly idleMs: number
  /** In [0, 1). */
  readonly random: () => number
}

const longestBackOffMs = 30_000

/**
 * Works whenever this process holds the lease, until the signal is aborted. Never rejects.
 *
 * Invariant: the lease is renewed while the work runs, also during a long step, and never after its release. Invariant:
 * a failure releases it, so that a process to which the same provider or network responds can take over.
 */
export async function whileLeased<Lease>(
  { acquire, release, work, failed, database, idleMs, random, ...renewal }: LeasedWork<Lease>,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0
  const succeeded = () => {
    failures = 0
  }
  while (!signal.aborted) {
    let lease: Lease | null = null
    try {
      lease = await acquire()
      if (lease) {
        await renewDuring(renewal, lease, work(lease, succeeded))
        succeeded()
      }
    } catch (error) {
      // No backoff: work continues as soon as the database responds.
      if (classifyDbError(error) !== null) database.report(error)
      else {
        failures += 1
        failed(error, failures)
      }
    }
    // Another process takes over at once if the release succeeds, else when the lease expires.
    if (lease) await release(lease).catch(() => {})
    const backOffMs = Math.min(longestBackOffMs, 250 * 2 ** failures) * (0.5 + random() / 2)
    await pause(failures ? backOffMs : idleMs, signal)
  }
}

async function renewDuring<Lease>(
  { renew, renewMs }: Pick<LeasedWork<Lease>, 'renew' | 'renewMs'>,
  lease: Lease,
  work: Promise<void>,
): Promise<void> {
  const over = new AbortController()
  const renewing = (async () => {
    for (;;) {
      await pause(renewMs, over.signal)
      if (over.signal.aborted) return
      // A database that does not respond makes the work fail, too.
      await renew(lease).catch(() => {})
    }
  })()
  try {
    await work
  } finally {
    over.abort()
    // A renewal after the release would undo it.
    await renewing
  }
}

/** Waits, at most until the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
