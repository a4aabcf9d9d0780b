import { retryAfterMs } from '@payment-intents/contract/errors'
import {
  failingDays,
  isDelivered,
  nextWait,
  presentEndpoint,
  presentEvent,
  type StoredDelivery,
  type StoredEndpoint,
  type WebhookEndpointStore,
} from '@payment-intents/core'
import { pageOf } from './store/pageOf.ts'
import type { RecordedEvent, Records } from './store/records.ts'

type Endpoint = StoredEndpoint & {
  /** The version before signs, too, until then; Unix milliseconds. */
  readonly previousUntil: number
}

type Delivery = StoredDelivery & { readonly id: string; readonly endpointId: string }

export type Webhooks = ReturnType<typeof createWebhooks>

const hour = 3_600_000
const timeoutMs = 15_000

/**
 * The webhook endpoints of the test service. Webhooks are sent by `fetch` as soon as they are due by the service's clock, so
 * that a handler of Mock Service Worker, or a server, receives them.
 *
 * @param secretOf an endpoint's signing secret of one version
 */
export function createWebhooks(
  records: Records,
  secretOf: (endpointId: string, version: number) => string,
) {
  const { events, clock } = records
  const endpoints = new Map<string, Endpoint>()
  /** By endpoint and event. */
  const deliveries = new Map<string, Delivery>()
  const sending = new Map<string, Promise<void>>()
  records.onEvent((event) => {
    for (const endpoint of endpoints.values()) {
      if (endpoint.disabledReason === null && isSubscribed(endpoint, event)) queue(endpoint, event)
    }
    queueMicrotask(sendDue)
  })

  function queue({ id: endpointId }: Endpoint, { id: event, type }: RecordedEvent): void {
    const key = keyOf(endpointId, event)
    const before = deliveries.get(key)
    deliveries.set(key, {
      ...{ id: event, endpointId, event, eventType: type, attempts: 0, delivered: false },
      ...{ lastAttemptAt: before?.lastAttemptAt ?? null, nextAttemptAt: new Date(clock.now) },
      ...{ responseStatus: before?.responseStatus ?? null, error: before?.error ?? null },
    })
  }

  /** Sends what is due, one webhook after the other at each endpoint. */
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
    const response = await post(endpoint, event)
    const delivery = deliveries.get(key)
    const now = endpoints.get(endpoint.id)
    // Deleted meanwhile.
    if (!delivery || !now) return
    const { status, retryAfter, error } = response
    const delivered = isDelivered(status)
    const attempts = delivery.attempts + 1
    const wait = delivered
      ? null
      : nextWait({ attempts, retryAfterMs: retryAfter, random: Math.random() })
    deliveries.set(key, {
      ...{ ...delivery, attempts, delivered, error, responseStatus: status },
      lastAttemptAt: new Date(clock.now),
      nextAttemptAt: wait === null ? null : new Date(clock.now + wait),
    })
    settle(now, { delivered, isGone: status === 410 })
  }

  /** Notes whether anything gets through to an endpoint, and disables one that is gone or fails for days. */
  function settle(
    endpoint: Endpoint,
    { delivered, isGone }: { delivered: boolean; isGone: boolean },
  ): void {
    const failingSince = delivered ? null : (endpoint.failingSince ?? new Date(clock.now))
    const isFailing =
      failingSince !== null && clock.now - failingSince.getTime() >= failingDays * 24 * hour
    if (endpoint.disabledReason !== null || !(isGone || isFailing)) {
      endpoints.set(endpoint.id, { ...endpoint, failingSince })
      return
    }
    disable({ ...endpoint, failingSince }, isGone ? 'gone' : 'failing')
  }

  function disable(endpoint: Endpoint, disabledReason: 'gone' | 'failing'): void {
    const disabled = { ...endpoint, disabledReason }
    endpoints.set(endpoint.id, disabled)
    const earlier = events.filter(({ object, type }) => {
      return type === 'webhook_endpoint.disabled' && JSON.parse(object).id === endpoint.id
    })
    const object = JSON.stringify(presentEndpoint(disabled))
    const sequence = earlier.length + 1
    records.write({ type: 'webhook_endpoint.disabled', sequence, object }, null)
  }

  async function post(endpoint: Endpoint, event: RecordedEvent) {
    const body = presentEvent(event)
    const { id, secretVersion: version, previousUntil } = endpoint
    const secrets = [secretOf(id, version)]
    if (previousUntil > clock.now) secrets.push(secretOf(id, version - 1))
    try {
      const signed = await signedHeaders({ id: event.id, body }, secrets)
      const headers = { 'content-type': 'application/json', ...signed }
      const signal = AbortSignal.timeout(timeoutMs)
      const init = { method: 'POST', headers, body, signal, redirect: 'manual' } as const
      const response = await fetch(endpoint.url, init)
      await response.body?.cancel()
      const retryAfter = retryAfterMs(response.headers.get('retry-after') ?? undefined, Date.now())
      return { status: response.status, retryAfter: retryAfter ?? null, error: null }
    } catch {
      return { status: null, retryAfter: null, error: 'The connection broke before a response.' }
    }
  }

  const store: WebhookEndpointStore = {
    async insert({ mode }, terms, atMost) {
      if (endpoints.size >= atMost) return 'too_many'
      const state = { disabledReason: null, failingSince: null, secretVersion: 1, previousUntil: 0 }
      const endpoint: Endpoint = { ...terms, mode, ...state }
      endpoints.set(endpoint.id, endpoint)
      return endpoint
    },
    list: async () => [...endpoints.values()],
    find: async (_actor, id) => endpoints.get(id) ?? null,
    async update(_actor, id, { url, description, enabledEvents, status }) {
      const before = endpoints.get(id)
      if (!before) return null
      const disabledReason = {
        enabled: null,
        disabled: before.disabledReason ?? 'merchant',
      } as const
      const endpoint: Endpoint = {
        ...{ ...before, url: url ?? before.url, description: description ?? before.description },
        ...(enabledEvents === 'unchanged' ? {} : { enabledEvents }),
        ...(status === null ? {} : { disabledReason: disabledReason[status] }),
        ...(status === 'enabled' ? { failingSince: null } : {}),
      }
      endpoints.set(id, endpoint)
      queueMicrotask(sendDue)
      return endpoint
    },
    async delete(_actor, id) {
      endpoints.delete(id)
      for (const [key, { endpointId }] of deliveries) if (endpointId === id) deliveries.delete(key)
    },
    async rotateSecret(_actor, id, { overlapHours, secretKey }) {
      const before = endpoints.get(id)
      if (!before) return null
      const secretVersion = before.secretVersion + 1
      const previousUntil = clock.now + overlapHours * hour
      const endpoint = { ...before, secretVersion, secretKey, previousUntil }
      endpoints.set(id, endpoint)
      return endpoint
    },
    async recover(_actor, id, since) {
      const endpoint = endpoints.get(id)
      if (!endpoint) return 0
      const missed = events.filter((event) => {
        const delivery = deliveries.get(keyOf(id, event.id))
        return event.createdAt >= since && isSubscribed(endpoint, event) && !delivery?.delivered
      })
      for (const event of missed) queue(endpoint, event)
      queueMicrotask(sendDue)
      return missed.length
    },
    async listDeliveries(id, page) {
      const its = [...deliveries.values()].filter(({ endpointId }) => endpointId === id)
      const newestFirst = its.toSorted((a, b) => (a.id < b.id ? 1 : -1))
      return pageOf(newestFirst, page, () => true)
    },
  }

  return {
    ...{ store, sendDue },
    redeliver(eventId: string, endpointId: string | null): number {
      const event = events.find(({ id }) => id === eventId)
      const targets = [...endpoints.values()].filter(({ id, disabledReason }) => {
        return disabledReason === null && (endpointId ?? id) === id
      })
      if (event) for (const endpoint of targets) queue(endpoint, event)
      queueMicrotask(sendDue)
      return targets.length
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

function isSubscribed({ enabledEvents }: Endpoint, { type }: RecordedEvent): boolean {
  return enabledEvents?.includes(type) ?? true
}

function keyOf(endpointId: string, eventId: string): string {
  return `${endpointId}:${eventId}`
}

/** Signs a webhook (Standard Webhooks, version 1) with Web Crypto, which browsers have, too. */
async function signedHeaders(
  { id, body }: { id: string; body: string },
  secrets: readonly string[],
) {
  // Receivers compare it with the real time, not with the service's clock.
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const message = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const signatures = await Promise.all(
    secrets.map(async (secret) => {
      const raw = Uint8Array.from(atob(secret.slice('whsec_'.length)), (char) => char.charCodeAt(0))
      const algorithm = { name: 'HMAC', hash: 'SHA-256' }
      const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['sign'])
      const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, message))
      return `v1,${btoa(String.fromCharCode(...signature))}`
    }),
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
