import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { classifyDbError, type WriteFault, writeFaultOf } from '../../lib/classifyDbError.ts'
import { checkWrites } from './checkWrites.ts'
import type { Db } from './connect.ts'

/** Tracks whether the database accepts writes, by the writes of this process and by a check every few seconds. */
export type WriteWatch = {
  /** null: no fault is known. */
  fault(): WriteFault | null
  /** Reports a write that failed. */
  report(error: Error, fault: WriteFault): void
  stop(): Promise<void>
}

type Log = Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>

const everyMs = 5_000
const everyMsDuringFault = 1_000
/**
 * A check may pass while a larger write still fails, so a fault ends at the earliest this long after a failed write.
 */
const quietMs = 5_000

/** Logs the start of each fault once, and at its end how many writes failed. */
export function watchWrites(db: Db, log?: Log): WriteWatch {
  const stopping = new AbortController()
  let woken = new AbortController()
  let current: { fault: WriteFault; since: number; last: number; failures: number } | null = null
  const loop = run()

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = new AbortController()
      const signal = AbortSignal.any([stopping.signal, woken.signal])
      await sleep(current ? everyMsDuringFault : everyMs, undefined, { signal }).catch(() => {})
      if (stopping.signal.aborted) return
      try {
        await checkWrites(db)
        if (current && performance.now() >= current.last + quietMs) end(current)
      } catch (error) {
        const fault = writeFaultOf(error)
        if (fault) report(error as Error, fault)
        // Other statements report a database that does not respond.
        else if (classifyDbError(error) === null)
          log?.warn({ err: error }, 'the write check failed')
      }
    }
  }

  function report(error: Error, fault: WriteFault): void {
    if (stopping.signal.aborted) return
    const now = performance.now()
    if (current) {
      current.last = now
      current.failures += 1
      return
    }
    current = { fault, since: now, last: now, failures: 1 }
    log?.error({ reason: error.message }, `the database takes no writes: ${advice[fault]}`)
    woken.abort()
  }

  function end({ since, failures }: NonNullable<typeof current>): void {
    current = null
    const seconds = Math.round(performance.now() - since) / 1_000
    log?.info({ seconds, failures }, 'the database takes writes again')
  }

  return {
    fault: () => current?.fault ?? null,
    report,
    async stop() {
      stopping.abort()
      await loop
    },
  }
}

const advice: { readonly [fault in WriteFault]: string } = {
  disk_full: 'the disk of the database is full: free some space there',
  read_only: 'it is read-only: make it the primary, or have DATABASE_URL lead to the primary',
}
