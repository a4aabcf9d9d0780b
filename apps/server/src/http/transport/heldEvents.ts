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
 * Holds requests for lists of events until there is an event. A read counts against its merchant's share of
 * connections, as any other request does. A request that waits holds no connection.
 */
export function createHoldEvents(
  context: Pick<HttpContext, 'database' | 'stopping' | 'notifications' | 'limiter'>,
  service: Pick<Service, 'store' | 'now'>,
): HoldEvents {
  const { notifications, limiter } = context
  const longPoll = createLongPoll<Page<StoredEvent>, ListRequest>(context, {
    subscribe: (listener, awaited) => notifications.onEventsWritten(listener, awaited),
    find: (_name, request) => read(request),
    isNewer: (page) => page.items.length > 0,
  })
  const hold = createHeldLimit(limits.longPollLists)
  /** The reads that have not begun, by merchant and query. */
  const pendingReads = new Map<string, Promise<Page<StoredEvent>>>()

  /** One event wakes all held lists of its merchant at once; those with the same query share a read. */
  function read(request: ListRequest): Promise<Page<StoredEvent>> {
    const { actor, query } = request
    const { wait, ...filters } = query
    const key = JSON.stringify([nameOf(actor), filters])
    const pending = pendingReads.get(key)
    if (pending) return pending
    const page = limiter(actor.merchantId, async () => {
      // A list that wakes after this point may wait for an event that this read misses.
      pendingReads.delete(key)
      return readEvents(service, request)
    }).finally(() => {
      // If the limiter refused the read, it has never begun.
      if (pendingReads.get(key) === page) pendingReads.delete(key)
    })
    pendingReads.set(key, page)
    return page
  }

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
