import { limits } from '@payment-intents/contract'
import {
  type Page,
  presentEvents,
  readEvents,
  type Service,
  type ServiceRequest,
  type StoredEvent,
} from '@payment-intents/core'
import type { FastifyReply } from 'fastify'
import { nameOf } from '../../store/events/announceEvents.ts'
import { createHeldLimit } from '../limits/heldLimit.ts'
import type { HttpContext } from './httpContext.ts'
import { createLongPoll } from './longPoll.ts'
import { sendJson } from './sendJson.ts'

type ListRequest = Pick<ServiceRequest<'listEvents'>, 'actor' | 'query'>

export type HoldEvents = (request: ListRequest, key: string, reply: FastifyReply) => void

/**
 * Holds requests for lists of events until there is an event. A merchant's requests that look share its connections, as its other requests
 * do; resting requests have none.
 */
export function createHoldEvents(
  context: Pick<HttpContext, 'database' | 'stopping' | 'notifications' | 'limiter'>,
  service: Pick<Service, 'store' | 'now'>,
): HoldEvents {
  const { notifications, limiter } = context
  const longPoll = createLongPoll<Page<StoredEvent>, ListRequest>(context, {
    subscribe: (listener, awaited) => notifications.onEventsWritten(listener, awaited),
    find: (_name, request) => limiter(request.actor.merchantId, () => readEvents(service, request)),
    isNewer: (page) => page.items.length > 0,
  })
  const hold = createHeldLimit(limits.longPollLists)

  return ({ actor, query }, key, reply) => {
    const release = hold(key, actor.merchantId)
    const params = { id: nameOf(actor), after: { actor, query }, seconds: query.wait ?? 0 }
    longPoll(params, reply.raw, (value) => {
      release()
      Promise.resolve(value)
        .then((page) => reply.send(sendJson(reply, presentEvents(page).body)))
        .catch((error) => reply.send(error))
    })
  }
}
