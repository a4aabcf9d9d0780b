import { limits } from '@payment-intents/contract'
import {
  disablingStatus,
  failingDays,
  isDelivered,
  nextWait,
  presentEndpoint,
  type StoredAttempt,
  type StoredDelivery,
  type StoredEndpoint,
} from '@payment-intents/core'
import type { RecordedEvent, Records } from '../store/records.ts'
import { postWebhook } from './postWebhook.ts'

export type Endpoint = StoredEndpoint & {
  /** The previous version also signs until this time; Unix milliseconds. */
  readonly previousUntil: number
}

type Delivery = StoredDelivery & { readonly id: string; readonly endpointId: string }

export type Deliveries = ReturnType<typeof createDeliveries>

const day = 24 * 3_600_000

/**
 * Delivers events to endpoints: in order at each endpoint, as soon as they are due by the service's clock.
 *
 * @param endpoints this function disables an endpoint that is gone or fails for days
 * @param secretOf an endpoint's signing secret of one version
 */
export function createDeliveries(
  { events, clock, ids, write }: Records,
  endpoints: Map<string, Endpoint>,
  secretOf: (endpointId: string, version: number) => string,
) {
  /** By endpoint and event. */
  const deliveries = new Map<string, Delivery>()
  /** The newest attempts of each delivery, oldest first. */
  const attemptsOf = new Map<string, readonly StoredAttempt[]>()
  const sending = new Map<string, Promise<void>>()

  function queue({ id: endpointId }: Endpoint, { id: event, type }: RecordedEvent): void {
    const key = keyOf(endpointId, event)
    const before = deliveries.get(key)
    deliveries.set(key, {
      ...{ id: event, endpointId, event, eventType: type, attempts: 0, delivered: false },
      ...{ lastAttemptAt: before?.lastAttemptAt ?? null, nextAttemptAt: new Date(clock.now) },
      ...{ responseStatus: before?.responseStatus ?? null, error: before?.error ?? null },
    })
  }

  /** Sends due webhooks, in order at each endpoint. */
  function sendDue(): void {
    for (const { id } of endpoints.values()) {
      if (sending.has(id) || !findDue(id)) continue
      sending.set(
        id,
        sendAll(id).finally(() => sending.delete(id)),
      )
    }
  }

  async function sendAll(endpointId: string): Promise<void> {
    for (let due = findDue(endpointId); due; due = findDue(endpointId)) await send(...due)
  }

  function findDue(endpointId: string): [key: string, Endpoint, RecordedEvent] | null {
    const endpoint = endpoints.get(endpointId)
    if (!endpoint || endpoint.disabledReason !== null) return null
    for (const event of events) {
      const key = keyOf(endpointId, event.id)
      const next = deliveries.get(key)?.nextAttemptAt
      if (next && next.getTime() <= clock.now) return [key, endpoint, event]
    }
    return null
  }

  async function send(key: string, endpoint: Endpoint, event: RecordedEvent): Promise<void> {
    const startedAt = new Date(clock.now)
    const started = performance.now()
    const response = await postWebhook(endpoint.url, event, secretsOf(endpoint))
    const durationMs = Math.round(performance.now() - started)
    const delivery = deliveries.get(key)
    const now = endpoints.get(endpoint.id)
    // The endpoint was deleted meanwhile.
    if (!delivery || !now) return
    const { status, retryAfter, text, error } = response
    const delivered = isDelivered(status)
    const attempts = delivery.attempts + 1
    const wait = delivered
      ? null
      : nextWait({ attempts, retryAfterMs: retryAfter, random: Math.random() })
    deliveries.set(key, {
      ...{ ...delivery, attempts, delivered, error: error?.message ?? null },
      responseStatus: status,
      lastAttemptAt: new Date(clock.now),
      nextAttemptAt: wait === null ? null : new Date(clock.now + wait),
    })
    const attempt: StoredAttempt = {
      ...{ id: ids.next('att', clock.now), event: event.id, eventType: event.type },
      ...{ startedAt, durationMs, responseStatus: status, responseBody: text },
      ...{ errorCode: error?.code ?? null, error: error?.message ?? null },
    }
    const earlier = attemptsOf.get(key) ?? []
    attemptsOf.set(key, [...earlier, attempt].slice(-limits.webhookAttempts))
    settle(now, { delivered, isDisabling: status === disablingStatus })
  }

  /** Records the result at an endpoint, and disables an endpoint that is gone or fails for days. */
  function settle(
    endpoint: Endpoint,
    { delivered, isDisabling }: { delivered: boolean; isDisabling: boolean },
  ): void {
    const failingSince = delivered ? null : (endpoint.failingSince ?? new Date(clock.now))
    const isFailing =
      failingSince !== null && clock.now - failingSince.getTime() >= failingDays * day
    if (endpoint.disabledReason !== null || !(isDisabling || isFailing)) {
      endpoints.set(endpoint.id, { ...endpoint, failingSince })
      return
    }
    disable({ ...endpoint, failingSince }, isDisabling ? 'gone' : 'failing')
  }

  function disable(endpoint: Endpoint, disabledReason: 'gone' | 'failing'): void {
    const disabled = { ...endpoint, disabledReason }
    endpoints.set(endpoint.id, disabled)
    const object = JSON.stringify(presentEndpoint(disabled))
    const sequence = nextSequence(endpoint.id)
    write({ type: 'webhook_endpoint.disabled', sequence, object }, null)
  }

  /** The number of the next event about an endpoint. */
  function nextSequence(endpointId: string): number {
    const earlier = events.filter(({ object, type }) => {
      return type.startsWith('webhook_endpoint.') && JSON.parse(object).id === endpointId
    })
    return earlier.length + 1
  }

  function secretsOf({ id, secretVersion: version, previousUntil }: Endpoint): string[] {
    const secrets = [secretOf(id, version)]
    if (previousUntil > clock.now) secrets.push(secretOf(id, version - 1))
    return secrets
  }

  return {
    ...{ queue, sendDue, nextSequence },
    isDelivered: (endpointId: string, eventId: string) =>
      deliveries.get(keyOf(endpointId, eventId))?.delivered === true,
    /** Newest first. */
    attempts: (id: string) =>
      [...attemptsOf]
        .flatMap(([key, attempts]) => (key.startsWith(`${id}:`) ? attempts : []))
        .toSorted((a, b) => (a.id < b.id ? 1 : -1)),
    of: (id: string) => [...deliveries.values()].filter(({ endpointId }) => endpointId === id),
    forget(id: string): void {
      for (const [key, { endpointId }] of deliveries) {
        if (endpointId !== id) continue
        deliveries.delete(key)
        attemptsOf.delete(key)
      }
    },
    /** Resolves when no webhook is due and none is being sent. */
    async sent(): Promise<void> {
      sendDue()
      while (sending.size > 0) {
        await Promise.all(sending.values())
        sendDue()
      }
    },
  }
}

function keyOf(endpointId: string, eventId: string): string {
  return `${endpointId}:${eventId}`
}
