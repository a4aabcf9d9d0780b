import type { Applied } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'
import { insertEvents, type NewEvent, rowsOf } from '../events/events.ts'
import { saveProgress } from './paymentIntents.ts'

/**
 * Writes what facts did to locked intents, and their events: the one way in which an intent changes after its creation.
 *
 * @param now Unix milliseconds
 * @param also writes what follows from the intents as they are now; returns the events of that
 * @returns every event that was written
 */
export async function writeChanges(
  db: Queryable,
  applied: readonly Applied[],
  now: number,
  also: () => Promise<readonly NewEvent[]> = async () => [],
): Promise<readonly NewEvent[]> {
  const changed = applied.filter((one) => one.changed)
  await saveProgress(
    db,
    changed.map((one) => one.intent),
  )
  const events = changed.flatMap((one) => rowsOf(one.intent, one.events))
  const written = [...events, ...(await also())]
  await insertEvents(db, written, now)
  return written
}
