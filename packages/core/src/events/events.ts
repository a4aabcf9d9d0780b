import { limits, windows } from '@payment-intents/contract'
import { invalidBody, notFound } from '../http/httpError.ts'
import { presentPage } from '../lib/page.ts'
import type { Handler } from '../service.ts'
import type { StoredEvent } from './store.ts'

export const listEvents: Handler<'listEvents'> = async ({ store, now }, { actor, query }) => {
  const page = await store.events.list(actor, {
    limit: query.limit ?? limits.pageSize.default,
    startingAfter: query.starting_after ?? null,
    since: now() - windows.history * 1_000,
    type: query.type ?? null,
    intentId: query.payment_intent ?? null,
    paymentLink: query.payment_link ?? null,
  })
  if (page === 'unknown_cursor') {
    const message =
      'is no event of this merchant and mode, or none that is kept any more: begin without it'
    throw invalidBody([{ path: 'starting_after', message }])
  }
  return { body: presentPage(page, presentEvent) }
}

export const retrieveEvent: Handler<'retrieveEvent'> = async ({ store }, { actor, id }) => {
  const event = await store.events.find(actor, id)
  if (!event) throw notFound('event')
  return { body: presentEvent(event) }
}

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
