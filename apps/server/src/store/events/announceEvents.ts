import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor } from '@payment-intents/core'
import type { Db } from '../connection/connect.ts'

/** The channel on which events are announced. Its payload is {@link nameOf} the merchant and mode. */
export const eventsWritten = 'events_written'

/** The payload that announces a merchant's events in a mode. */
export function nameOf({ merchantId, mode }: Actor): string {
  return `${merchantId} ${mode}`
}

/** The shortest time between two announcements. An announcement costs PostgreSQL a fifth of a creation. */
const intervalMs = 50

/**
 * Announces committed events: the first at once, and those of the next 50 ms together. A NOTIFY in the transaction of a
 * creation would make commits wait for each other, and creations are many. If an announcement is lost, a reader waits
 * until its request ends.
 */
export function createAnnounceEvents(
  db: Db,
  report: (error: unknown) => void,
): (actor: Actor) => void {
  const waiting = new Set<string>()
  let isAnnouncing = false

  async function announce(): Promise<void> {
    isAnnouncing = true
    while (waiting.size > 0) {
      // Wait for the other events of a batch of creations.
      await new Promise(setImmediate)
      const names = [...waiting]
      waiting.clear()
      await db.pool
        .query({
          name: 'announce-events',
          text: `select pg_notify('${eventsWritten}', name) from unnest($1::text[]) name`,
          values: [names],
        })
        .catch(report)
      await sleep(intervalMs, undefined, { ref: false })
    }
    isAnnouncing = false
  }

  return (actor) => {
    waiting.add(nameOf(actor))
    if (!isAnnouncing) void announce()
  }
}
