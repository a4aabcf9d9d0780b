import {
  type Event,
  eventPageSchema,
  type ListEvents,
  listEventsSchema,
} from '@payment-intents/contract'
import { type List, list } from './list.ts'
import type { ReadOptions } from './options.ts'
import type { Send } from './send.ts'

const endpoint = { path: '/v1/events', params: listEventsSchema, page: eventPageSchema }

export function listEvents(
  send: Send,
  params: ListEvents = {},
  options?: ReadOptions,
): List<Event> {
  return list(send, endpoint, params, options)
}
