import type { EventType, Mode } from '@payment-intents/contract'
import type { Page } from '../lib/presentPage.ts'
import type { Actor } from '../service.ts'

export type StoredEvent = {
  readonly id: string
  readonly type: EventType
  readonly createdAt: Date
  readonly mode: Mode
  readonly sequence: number
  /** JSON text of `data.object`. */
  readonly object: string
}

export type EventFilter = {
  readonly limit: number
  /** The event to continue after; null: start with events written at `since`, in Unix milliseconds. */
  readonly startingAfter: string | null
  readonly since: number
  /** `desc`: newest first, back to events written at `since`. */
  readonly order: 'asc' | 'desc'
  readonly type: EventType | null
  readonly intentId: string | null
  /** The payment link that the events' intents pay. */
  readonly paymentLink: string | null
}

export type EventStore = {
  find(actor: Actor, id: string): Promise<StoredEvent | null>
  list(actor: Actor, filter: EventFilter): Promise<Page<StoredEvent> | 'unknown_cursor'>
  /**
   * Queues an event for one endpoint, or for every enabled endpoint, even if it was delivered.
   * @returns the number of deliveries queued
   */
  redeliver(actor: Actor, id: string, endpointId: string | null): Promise<number>
}
