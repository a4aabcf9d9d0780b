export type Progress = {
  /** The event to go on after later: all up to it are settled. */
  readonly cursor: string | undefined
  /** An event that is handed on now; what is given back tells that it is settled. */
  begin(eventId: string): () => void
}

/**
 * How far events have got, which are settled out of their order.
 *
 * @param beginning the event that the first one comes after
 */
export function progressFrom(beginning: string | undefined): Progress {
  let cursor = beginning
  // Invariant: the first one, if there is any, is not settled.
  const underWay: { readonly eventId: string; isSettled: boolean }[] = []
  return {
    get cursor() {
      return cursor
    },
    begin(eventId) {
      const entry = { eventId, isSettled: false }
      underWay.push(entry)
      return () => {
        entry.isSettled = true
        while (underWay[0]?.isSettled) cursor = underWay.shift()?.eventId
      }
    },
  }
}
