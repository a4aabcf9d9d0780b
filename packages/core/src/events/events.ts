import { limits, windows } from '@payment-intents/contract'
import { invalidBody, notFoundError } from '../http/httpError.ts'
import { type Page, presentPage } from '../lib/presentPage.ts'
import type { Handler, Service, ServiceRequest, ServiceResponse } from '../service.ts'
import type { StoredEvent } from './store.ts'

export const listEvents: Handler<'listEvents'> = async (service, request) => {
  return presentEvents(await readEvents(service, request))
}

/** The events that a list requests now. A server decides itself how it holds a request until an event exists. */
export async function readEvents(
  { store, now }: Pick<Service, 'store' | 'now'>,
  { actor, query }: Pick<ServiceRequest<'listEvents'>, 'actor' | 'query'>,
): Promise<Page<StoredEvent>> {
  const { order = 'asc', wait = 0 } = query
  if (order === 'desc' && wait > 0) {
    throw invalidBody([{ path: 'wait', message: 'needs the order `asc`' }])
  }
  const page = await store.events.list(actor, {
    limit: query.limit ?? limits.pageSize.default,
    startingAfter: query.starting_after ?? null,
    since: now() - windows.history * 1_000,
    order,
    type: query.type ?? null,
    intentId: query.payment_intent ?? null,
    paymentLink: query.payment_link ?? null,
  })
  if (page === 'unknown_cursor') {
    const message =
      'is not an event of this merchant and mode, or is no longer kept: begin without it'
    throw invalidBody([{ path: 'starting_after', message }])
  }
  return page
}

export function presentEvents(page: Page<StoredEvent>): ServiceResponse {
  return { body: presentPage(page, presentEvent) }
}

export const retrieveEvent: Handler<'retrieveEvent'> = async ({ store }, { actor, id }) => {
  const event = await store.events.find(actor, id)
  if (!event) throw notFoundError('event')
  return { body: presentEvent(event) }
}

/** An event as merchants read it, as JSON text: its object is byte for byte as written. */
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
