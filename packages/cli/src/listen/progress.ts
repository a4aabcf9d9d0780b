export type Progress = {
  /** The event to resume after: all up to it are settled. */
  readonly cursor: string | undefined
  /** Registers an event. Call the returned function once it is settled. */
  begin(eventId: string): () => void
}

/**
 * Tracks the last event up to which all are settled, since events settle out of order.
 *
 * @param beginning the event before the first event
 */
export function progressFrom(beginning: string | undefined): Progress {
  let cursor = beginning
  // Invariant: the first entry is not settled.
  const unsettled: { readonly eventId: string; isSettled: boolean }[] = []
  return {
    get cursor() {
      return cursor
    },
    begin(eventId) {
      const entry = { eventId, isSettled: false }
      unsettled.push(entry)
      return () => {
        entry.isSettled = true
        while (unsettled[0]?.isSettled) cursor = unsettled.shift()?.eventId
      }
    },
  }
}
