import type { EventType, Mode } from '@payment-intents/contract'

export type StoredEvent = {
  readonly id: string
  readonly type: EventType
  readonly createdAt: Date
  readonly mode: Mode
  readonly sequence: number
  /** JSON text of `data.object`. */
  readonly object: string
}

/** The columns of a {@link StoredEvent}. */
export const eventColumns =
  'e.id, e.type, e.created_at as "createdAt", e.mode, e.sequence, e.object'

/** An event as merchants read it, as JSON text: the object as it was written, to the byte. */
export function presentEvent(event: StoredEvent): string {
  const text = JSON.stringify({
    id: event.id,
    type: event.type,
    created_at: event.createdAt.toISOString(),
    mode: event.mode,
    sequence: event.sequence,
  })
  return `${text.slice(0, -1)},"data":{"object":${event.object}}}`
}
