import { eventSchema } from '../schemas/events.ts'
import { eventPageSchema, listEventsSchema } from '../schemas/lists.ts'
import { deliveriesQueuedSchema, redeliverEventSchema } from '../schemas/webhookEndpoint.ts'
import type { Endpoint } from './endpoint.ts'

/** Endpoints of events. */
export const eventEndpoints = {
  listEvents: {
    method: 'GET',
    path: '/v1/events',
    auth: 'api_key',
    query: listEventsSchema,
    response: eventPageSchema,
    cursor: 'id',
    idempotency: 'idempotent',
    summary: 'List events',
    description:
      'Oldest first, from 30 days ago or from `starting_after` on; newest first with `order=desc`. A reader that continues after the last event it has seen misses none. With `wait` the response is held until there is an event.',
  },
  retrieveEvent: {
    method: 'GET',
    path: '/v1/events/{id}',
    object: 'event',
    auth: 'api_key',
    response: eventSchema,
    idempotency: 'idempotent',
    summary: 'Retrieve an event',
  },
  redeliverEvent: {
    method: 'POST',
    path: '/v1/events/{id}/redeliver',
    object: 'event',
    auth: 'api_key',
    body: redeliverEventSchema,
    isBodyOptional: true,
    response: deliveriesQueuedSchema,
    errors: ['conflict'],
    // Receivers recognise repeated events.
    idempotency: 'idempotent',
    summary: 'Send an event once more',
    description:
      'Sends it to one enabled endpoint or to all, even to an endpoint that has it already.',
  },
} as const satisfies Record<string, Endpoint>
