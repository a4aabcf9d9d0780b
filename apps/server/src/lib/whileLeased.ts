import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseWatch } from '../store/connection/watchDatabase.ts'
import { classifyDbError } from './classifyDbError.ts'

/** Work that one process does at a time, and the lease that says which. */
export type LeasedWork<Lease> = {
  /** null: another process holds it. */
  readonly acquire: () => Promise<Lease | null>
  /** A lost lease may reject or be ignored: the work finds it at its next write. */
  readonly renew: (lease: Lease) => Promise<void>
  readonly release: (lease: Lease) => Promise<void>
  /** Well within the time that a lease lasts, in milliseconds. */
  readonly renewMs: number
  /**
   * Works until the signal is aborted or nothing can be done here. `succeeded` ends the back-off.
   *
   * @throws when the lease is lost, and anything else that another process may do better
   */
  readonly work: (lease: Lease, succeeded: () => void) => Promise<void>
  /** Trouble of the database is reported to `database` instead. `failures` in a row, from 1. */
  readonly failed: (error: unknown, failures: number) => void
  readonly database: Pick<DatabaseWatch, 'report'>
  /** Milliseconds until the next try while another process holds the lease, and after the database failed. */
  readonly idleMs: number
  /** In [0, 1). */
  readonly random: () => number
}

const longestBackOffMs = 30_000

/**
 * Works whenever this process holds the lease, until the signal is aborted. Never rejects.
 *
 * Invariant: the lease is renewed while the work runs, however long one step of it takes, and never after its release.
 * Invariant: a failure releases it, so that a process to which the same provider or network responds can take over.
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
      // It passes for all at once: work goes on as soon as the database does.
      if (classifyDbError(error) !== null) database.report(error)
      else {
        failures += 1
        failed(error, failures)
      }
    }
    // Another process takes over at once, if the database can be told; else when the lease has run out.
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
      // A database that does not respond fails the work, too.
      await renew(lease).catch(() => {})
    }
  })()
  try {
    await work
  } finally {
    over.abort()
    // A renewal that came after the release would undo it.
    await renewing
  }
}

/** Resolves early when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
