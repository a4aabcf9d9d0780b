import type { DatabaseSync } from 'node:sqlite'

/** The next catch-up begins after this event. */
export function findCursor(db: DatabaseSync): string | undefined {
  return db.prepare('SELECT last_event FROM event_cursor').get()?.last_event as string | undefined
}

export function moveCursor(db: DatabaseSync, eventId: string): void {
  db.prepare('INSERT OR REPLACE INTO event_cursor (only_row, last_event) VALUES (1, ?)').run(
    eventId,
  )
}

export function forgetCursor(db: DatabaseSync): void {
  db.exec('DELETE FROM event_cursor')
}
