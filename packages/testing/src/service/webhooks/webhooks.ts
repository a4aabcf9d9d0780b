import type { Records } from '../store/records.ts'
import { createDeliveries, type Endpoint } from './deliveries.ts'
import { endpointStore, isSubscribed, isTestOf } from './endpointStore.ts'

export type Webhooks = ReturnType<typeof createWebhooks>

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
  const endpoints = new Map<string, Endpoint>()
  const deliveries = createDeliveries(records, endpoints, secretOf)
  const { queue, sendDue, sent } = deliveries
  records.onEvent((event) => {
    for (const endpoint of endpoints.values()) {
      if (endpoint.disabledReason === null && isSubscribed(endpoint, event)) queue(endpoint, event)
    }
    queueMicrotask(sendDue)
  })

  return {
    ...{ store: endpointStore(records, endpoints, deliveries), sendDue, sent },
    deliveriesOf: (eventIds: readonly string[]) =>
      [...endpoints.keys()].flatMap((id) =>
        deliveries.of(id).filter(({ event }) => eventIds.includes(event)),
      ),
    redeliver(eventId: string, endpointId: string | null): number {
      const event = records.events.find(({ id }) => id === eventId)
      const targets = [...endpoints.values()].filter(({ id, disabledReason }) => {
        const isOfOther = event?.type === 'webhook_endpoint.test' && !isTestOf({ id }, event)
        return disabledReason === null && (endpointId ?? id) === id && !isOfOther
      })
      if (event) for (const endpoint of targets) queue(endpoint, event)
      queueMicrotask(sendDue)
      return targets.length
    },
  }
}
