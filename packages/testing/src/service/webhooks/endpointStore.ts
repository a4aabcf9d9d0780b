import type { WebhookEndpointStore } from '@payment-intents/core'
import { pageOf } from '../store/pageOf.ts'
import type { RecordedEvent, Records } from '../store/records.ts'
import type { Deliveries, Endpoint } from './deliveries.ts'

const hour = 3_600_000

/** The merchant's actions on webhook endpoints. */
export function endpointStore(
  { events, clock, write }: Pick<Records, 'events' | 'clock' | 'write'>,
  endpoints: Map<string, Endpoint>,
  deliveries: Deliveries,
): WebhookEndpointStore {
  return {
    async insert({ mode }, terms, max) {
      if (endpoints.size >= max) return 'too_many'
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
      queueMicrotask(deliveries.sendDue)
      return endpoint
    },
    async delete(_actor, id) {
      endpoints.delete(id)
      deliveries.forget(id)
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
        const isMissed = !deliveries.isDelivered(id, event.id)
        return event.createdAt >= since && isSubscribed(endpoint, event) && isMissed
      })
      for (const event of missed) deliveries.queue(endpoint, event)
      queueMicrotask(deliveries.sendDue)
      return missed.length
    },
    async insertTest(_actor, id, _event, present) {
      const endpoint = endpoints.get(id)
      if (!endpoint) return null
      if (endpoint.disabledReason !== null) return 'disabled'
      const sequence = deliveries.nextSequence(id)
      return write({ type: 'webhook_endpoint.test', sequence, object: present(endpoint) }, null)
    },
    async listDeliveries(id, page) {
      const newestFirst = deliveries.of(id).toSorted((a, b) => (a.id < b.id ? 1 : -1))
      return pageOf(newestFirst, page, () => true)
    },
    listAttempts: async (id, { event, ...page }) =>
      pageOf(
        deliveries.attempts(id),
        page,
        (attempt) => (event ?? attempt.event) === attempt.event,
      ),
  }
}

/** Whether an endpoint gets an event without a request; a test event is for its endpoint alone. */
export function isSubscribed(endpoint: Endpoint, event: RecordedEvent): boolean {
  if (event.type === 'webhook_endpoint.test') return isTestOf(endpoint, event)
  return endpoint.enabledEvents?.includes(event.type) ?? true
}

export function isTestOf({ id }: Pick<Endpoint, 'id'>, { object }: RecordedEvent): boolean {
  return JSON.parse(object).id === id
}
