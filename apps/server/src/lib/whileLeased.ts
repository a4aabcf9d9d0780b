import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseWatch } from '../store/connection/watchDatabase.ts'
import { classifyDbError } from './classifyDbError.ts'

/** Work that only the process with the lease does. */
export type LeasedWork<Lease> = {
  /** Resolves to null if another process holds the lease. */
  readonly acquire: () => Promise<Lease | null>
  /** May reject or resolve if the lease is lost: the work's next write fails then. */
  readonly renew: (lease: Lease) => Promise<void>
  readonly release: (lease: Lease) => Promise<void>
  /** Milliseconds between renewals, far less than a lease lasts. */
  readonly renewMs: number
  /**
   * Works until the signal is aborted, or until it cannot continue here. A call of `succeeded` ends the backoff.
   * @throws if the lease is lost, or if another process may succeed
   */
  readonly work: (lease: Lease, succeeded: () => void) => Promise<void>
  /** Called after a failure, except of the database; `failures` counts those in a row, from 1. */
  readonly failed: (error: unknown, failures: number) => void
  /** Receives the errors of the database. */
  readonly database: Pick<DatabaseWatch, 'report'>
  /** Milliseconds until the next attempt if another process holds the lease, or after an error of the database. */
  readonly idleMs: number
  /** Returns a number in [0, 1). */
  readonly random: () => number
}

const longestBackOffMs = 30_000

/**
 * Works whenever this process holds the lease, until the signal is aborted. Never rejects.
 *
 * Invariants: the lease is renewed while the work runs, even during a long step, and never after its release. A failure
 * releases it, so that a process whose network or provider works can take over.
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
      // The database adds no backoff: work continues as soon as it responds.
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
      // If the database does not respond, the work fails too.
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

/** Waits until the time is over or the signal is aborted. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
