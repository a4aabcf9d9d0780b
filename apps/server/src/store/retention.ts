import { setTimeout as sleep } from 'node:timers/promises'
import { windows } from '@payment-intents/contract'
import type { Logger } from 'pino'
import { classifyDbError } from '../lib/classifyDbError.ts'
import type { Db } from './connection/connect.ts'
import { inHalves } from './connection/inHalves.ts'
import type { DatabaseWatch } from './connection/watchDatabase.ts'
import { deleteEvents, findOldEvents } from './events/deleteEvents.ts'
import { deleteOldMails } from './mails/mails.ts'
import { deleteIdempotencyKeys } from './merchants/idempotencyKeys.ts'
import { deleteUnpaid, findUnpaid } from './payment-intents/deleteUnpaid.ts'
import { deleteHandoffs } from './payment-intents/handoffs.ts'
import { deleteVisits } from './payment-links/payersLinks.ts'
import { sweepDeliveries } from './webhook-endpoints/deliveries.ts'

/** The days for which old data is kept; null: for ever. */
export type Retention = {
  readonly eventDays: number | null
  readonly unpaidDays: number | null
}

type Deleting = {
  readonly db: Db
  readonly retention: Retention
  readonly signal: AbortSignal
}

/** Deletes from the end of the previous step on, and resolves to the end of this step; null: nothing is left. */
type Step = (after: string | null) => Promise<string | null>

const dayMs = 24 * 60 * 60 * 1_000
const everyMs = 60 * 60 * 1_000
/** Soon after the start, so that a server which restarts often also deletes. */
const firstMs = 60_000
/** The maximum of rows in a step, so that locks are held for milliseconds. */
const limit = 500
/** The maximum of undeletable rows that the error names. */
const maxReported = 100
/** The pause between two steps, in which others use the database. */
const pauseMs = 50

/** Deletes old data every hour, until the signal is aborted. */
export async function deleteHourly(
  deleting: Deleting & { readonly log: Logger; readonly database: Pick<DatabaseWatch, 'report'> },
): Promise<void> {
  const { signal, log, database } = deleting
  const { aborted, pause } = pausing(signal)
  for (let waitMs = firstMs; ; waitMs = everyMs) {
    log.debug({ in_seconds: waitMs / 1_000 }, 'data past its retention is deleted next')
    await pause(waitMs)
    if (aborted()) return
    try {
      await deleteOld({ ...deleting, now: await readEarlierClock(deleting.db) })
    } catch (error) {
      database.report(error)
      if (classifyDbError(error) === null)
        log.warn({ err: error }, 'data past its retention could not be deleted')
    }
  }
}

/**
 * The time of this machine or of the database, whichever is earlier, in Unix milliseconds. A clock that is ahead thus
 * deletes nothing too early.
 */
export async function readEarlierClock({ pool }: Db): Promise<number> {
  const { rows } = await pool.query<{ now: Date }>('select now()')
  return Math.min(Date.now(), Number(rows[0]?.now))
}

/**
 * Deletes old data in small steps. Ends early if the signal is aborted.
 * @param deleting.now Unix milliseconds
 * @throws {AggregateError} if rows could not be deleted, after all others were
 * @throws the error of a database that is away or takes no writes, at once
 */
export async function deleteOld({
  db,
  retention,
  now,
  signal,
}: Deleting & { readonly now: number }): Promise<void> {
  const { aborted, pause } = pausing(signal)
  const { eventDays, unpaidDays } = retention
  const failures: unknown[] = []
  /** A failure of one kind of row does not stop the others. A database that is away or takes no writes stops all. */
  const inSteps = async (step: Step) => {
    try {
      for (let after: string | null = null; !aborted(); ) {
        after = await step(after)
        if (after === null) return
        await pause(pauseMs)
      }
    } catch (error) {
      const fault = classifyDbError(error)
      if (fault !== null && fault !== 'busy') throw error
      failures.push(error)
    }
  }
  /** A row that cannot be deleted does not stop the others of its kind. */
  const deleteRows = <Row extends { readonly id: string }>(
    find: (after: string) => Promise<readonly Row[]>,
    remove: (rows: readonly Row[]) => Promise<void>,
  ) =>
    inSteps(async (after) => {
      const rows = await find(after ?? '')
      await inHalves(rows, remove, {
        onFailure({ id }, error) {
          if (failures.length >= maxReported) return
          failures.push(new Error(`${id} could not be deleted.`, { cause: error }))
        },
      })
      return rows.length < limit ? null : (rows.at(-1)?.id ?? null)
    })
  await inSteps(async () => {
    await sweepDeliveries(db.pool)
    return null
  })
  const expired = now - windows.idempotency * 1_000
  await inSteps(() => deleteIdempotencyKeys(db.pool, { before: expired, limit }))
  await inSteps(() => deleteHandoffs(db.pool, { before: now, limit }))
  await inSteps(() => deleteOldMails(db.pool, { before: now - 2 * dayMs, limit }))
  const pastLate = now - windows.late * 1_000
  await inSteps(() => deleteVisits(db.pool, { before: pastLate, limit }))
  if (eventDays !== null) {
    const before = now - eventDays * dayMs
    await deleteRows(
      (after) => findOldEvents(db.pool, { before, after, limit }),
      (events) => deleteEvents(db, before, events),
    )
  }
  if (unpaidDays !== null) {
    const before = now - unpaidDays * dayMs
    await deleteRows(
      (after) => findUnpaid(db.pool, { before, after, limit }),
      (intents) => deleteUnpaid(db, before, intents),
    )
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Some rows could not be deleted.')
}

function pausing(signal: AbortSignal) {
  return {
    aborted: () => signal.aborted,
    pause: (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {}),
  }
}
