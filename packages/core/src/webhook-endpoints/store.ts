import type { EventType, Mode, WebhookErrorCode } from '@payment-intents/contract'
import type { StoredEvent } from '../events/store.ts'
import type { Page } from '../lib/presentPage.ts'
import type { Actor } from '../service.ts'

export type StoredEndpoint = {
  readonly id: string
  readonly mode: Mode
  readonly url: string
  readonly description: string
  /** null: every type. */
  readonly enabledEvents: readonly EventType[] | null
  readonly disabledReason: 'merchant' | 'gone' | 'failing' | null
  readonly secretVersion: number
  /** Names the key from which its secret is derived. */
  readonly secretKey: string
  readonly failingSince: Date | null
  readonly createdAt: Date
}

export type EndpointTerms = Pick<
  StoredEndpoint,
  'id' | 'url' | 'description' | 'enabledEvents' | 'secretKey' | 'createdAt'
>

/** null: unchanged. */
export type EndpointChange = {
  readonly url: string | null
  readonly description: string | null
  readonly enabledEvents: readonly EventType[] | null | 'unchanged'
  readonly status: 'enabled' | 'disabled' | null
}

/** The delivery of one event to one endpoint. */
export type StoredDelivery = {
  readonly event: string
  readonly eventType: EventType
  readonly attempts: number
  readonly lastAttemptAt: Date | null
  /** null: no attempt follows. */
  readonly nextAttemptAt: Date | null
  readonly responseStatus: number | null
  readonly error: string | null
  readonly delivered: boolean
}

/** One attempt of a delivery. */
export type StoredAttempt = {
  readonly id: string
  readonly event: string
  readonly eventType: EventType
  readonly startedAt: Date
  readonly durationMs: number
  /** null: no response. */
  readonly responseStatus: number | null
  /** As `responseText` returns it. */
  readonly responseBody: string | null
  /** null: a response was received. */
  readonly errorCode: WebhookErrorCode | null
  readonly error: string | null
}

export type AttemptFilter = {
  readonly limit: number
  readonly startingAfter: string | null
  /** null: every event. */
  readonly event: string | null
}

export type WebhookEndpointStore = {
  insert(actor: Actor, terms: EndpointTerms, limit: number): Promise<StoredEndpoint | 'too_many'>
  /** Oldest first. */
  list(actor: Actor): Promise<readonly StoredEndpoint[]>
  find(actor: Actor, id: string): Promise<StoredEndpoint | null>
  /** Disabling ends the attempts in progress; enabling resets the failures. */
  update(actor: Actor, id: string, change: EndpointChange): Promise<StoredEndpoint | null>
  /** Ends the attempts in progress, then deletes the endpoint with its deliveries. */
  delete(actor: Actor, id: string): Promise<void>
  /** Increments the secret's version; for these hours the previous version signs, too. */
  rotateSecret(
    actor: Actor,
    id: string,
    rotation: { readonly overlapHours: number; readonly secretKey: string },
  ): Promise<StoredEndpoint | null>
  /**
   * Queues every event since a time that was not delivered to the endpoint, even from times when it was disabled.
   * @returns the number of deliveries queued
   */
  recover(actor: Actor, id: string, since: Date): Promise<number>
  /**
   * Writes an event of type `webhook_endpoint.test` and queues it for this endpoint alone.
   *
   * @param present returns the JSON text of `data.object`
   */
  insertTest(
    actor: Actor,
    id: string,
    event: Pick<StoredEvent, 'id' | 'createdAt'>,
    present: (endpoint: StoredEndpoint) => string,
  ): Promise<StoredEvent | 'disabled' | null>
  /** Newest event first. */
  listDeliveries(
    id: string,
    page: { readonly limit: number; readonly startingAfter: string | null },
  ): Promise<Page<StoredDelivery>>
  /** Newest first. Each delivery keeps its newest `limits.webhookAttempts`. */
  listAttempts(id: string, filter: AttemptFilter): Promise<Page<StoredAttempt>>
}
