import { setTimeout as sleep } from 'node:timers/promises'
import {
  createWebhookEndpointSchema,
  limits,
  listWebhookDeliveriesSchema,
  type Mode,
  recoverWebhookEndpointSchema,
  redeliverEventSchema,
  rotateWebhookSecretSchema,
  updateWebhookEndpointSchema,
  type WebhookDelivery,
} from '@payment-intents/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Actor } from '../db/act.ts'
import {
  hasClaims,
  type ListedDelivery,
  listDeliveries,
  recoverDeliveries,
  redeliverEvent,
} from '../db/deliveries.ts'
import { newId } from '../db/ids.ts'
import { findEvent } from '../db/listEvents.ts'
import { toPage } from '../db/page.ts'
import { presentEndpoint } from '../db/presentEndpoint.ts'
import {
  deleteEndpoint,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  mostEndpoints,
  rotateSecret,
  type StoredEndpoint,
  silenceEndpoint,
  updateEndpoint,
} from '../db/webhookEndpoints.ts'
import { webhookSecretOf } from '../webhookSecret.ts'
import { bearerOnly } from './authenticate.ts'
import { parseBody } from './body.ts'
import type { HttpContext } from './context.ts'
import { conflict, invalidBody, notFound } from './errors.ts'
import { type ObjectRoute, objectId } from './objectId.ts'
import { parseQuery, readQuery } from './query.ts'
import { sendJson, sendPage } from './send.ts'

const historyMs = 30 * 24 * 60 * 60 * 1000
/** A try that is under way when its endpoint is deleted is ended at once; its claim is the longest it can last. */
const deletionPatienceMs = 20_000

export function webhookEndpointRoutes(app: FastifyInstance, context: HttpContext): void {
  const { db, serverSecret, now } = context
  const { options, actorOf } = bearerOnly(context)

  app.post('/v1/webhook_endpoints', options, async (request, reply) => {
    const who = actorOf(request)
    const body = parseBody(createWebhookEndpointSchema, request.body)
    checkUrl(context, who.mode, body.url)
    const { url, description = '', enabled_events: enabledEvents = null } = body
    const terms = { url, description, enabledEvents }
    const endpoint = await insertEndpoint(db, who, newId('we', now()), terms, now())
    if (endpoint === 'too_many') {
      const message = `There are ${mostEndpoints} endpoints already; delete one first.`
      throw conflict('illegal_state', message)
    }
    return sendJson(reply, withSecret(endpoint, serverSecret))
  })

  app.get('/v1/webhook_endpoints', options, async (request, reply) => {
    parseQuery(noParameters, readQuery(request))
    const endpoints = await listEndpoints(db.pool, actorOf(request))
    return sendPage(reply, { items: endpoints, hasMore: false }, present)
  })

  app.get<ObjectRoute>('/v1/webhook_endpoints/:id', options, async (request, reply) => {
    return sendJson(reply, present(await found(actorOf(request), endpointId(request))))
  })

  app.patch<ObjectRoute>('/v1/webhook_endpoints/:id', options, async (request, reply) => {
    const who = actorOf(request)
    const body = parseBody(updateWebhookEndpointSchema, request.body)
    if (body.url !== undefined) checkUrl(context, who.mode, body.url)
    const change = {
      url: body.url ?? null,
      description: body.description ?? null,
      // Null means every type, so leaving it out is told apart.
      enabledEvents: body.enabled_events === undefined ? 'unchanged' : body.enabled_events,
      status: body.status ?? null,
    } as const
    const endpoint = await updateEndpoint(db.pool, who, endpointId(request), change)
    if (!endpoint) throw notFound('webhook endpoint')
    return sendJson(reply, present(endpoint))
  })

  app.delete<ObjectRoute>('/v1/webhook_endpoints/:id', options, async (request, reply) => {
    const who = actorOf(request)
    const id = endpointId(request)
    await found(who, id)
    await silenceEndpoint(db.pool, id)
    const patience = Date.now() + deletionPatienceMs
    while (Date.now() < patience && (await hasClaims(db.pool, id))) await sleep(20)
    await deleteEndpoint(db, who, id)
    return sendJson(reply, JSON.stringify({ id, deleted: true }))
  })

  app.post<ObjectRoute>(
    '/v1/webhook_endpoints/:id/rotate_secret',
    options,
    async (request, reply) => {
      const { overlap_hours: hours = 24 } = parseBody(
        rotateWebhookSecretSchema,
        request.body,
        'allowed',
      )
      const who = actorOf(request)
      const endpoint = await rotateSecret(db.pool, who, endpointId(request), hours)
      if (!endpoint) throw notFound('webhook endpoint')
      return sendJson(reply, withSecret(endpoint, serverSecret))
    },
  )

  app.post<ObjectRoute>('/v1/webhook_endpoints/:id/recover', options, async (request, reply) => {
    const body = parseBody(recoverWebhookEndpointSchema, request.body)
    const since = new Date(body.since)
    if (since.getTime() < now() - historyMs) {
      throw invalidBody([{ path: 'since', message: 'is more than 30 days ago' }])
    }
    const who = actorOf(request)
    const { id } = enabled(await found(who, endpointId(request)))
    return queued(reply, await recoverDeliveries(db.pool, who, id, since))
  })

  app.get<ObjectRoute>('/v1/webhook_endpoints/:id/deliveries', options, async (request, reply) => {
    const query = parseQuery(listWebhookDeliveriesSchema, readQuery(request))
    const { id } = await found(actorOf(request), endpointId(request))
    const limit = query.limit ?? limits.pageSize.default
    const startingAfter = query.starting_after ?? null
    const rows = await listDeliveries(db.pool, id, { limit, startingAfter })
    return sendPage(reply, toPage(rows, limit, presentDelivery), JSON.stringify)
  })

  app.post<ObjectRoute>('/v1/events/:id/redeliver', options, async (request, reply) => {
    const body = parseBody(redeliverEventSchema, request.body, 'allowed')
    const who = actorOf(request)
    const id = objectId(request, 'event')
    if (!(await findEvent(db.pool, who, id))) throw notFound('event')
    const target = body.webhook_endpoint ?? null
    if (target) enabled(await found(who, target))
    return queued(reply, await redeliverEvent(db.pool, who, id, target))
  })

  async function found(who: Actor, id: string): Promise<StoredEndpoint> {
    const endpoint = await findEndpoint(db.pool, who, id)
    if (!endpoint) throw notFound('webhook endpoint')
    return endpoint
  }
}

const noParameters = z.strictObject({})

function endpointId(request: FastifyRequest<ObjectRoute>): string {
  return objectId(request, 'webhook endpoint')
}

function enabled(endpoint: StoredEndpoint): StoredEndpoint {
  if (!endpoint.disabledReason) return endpoint
  throw conflict('illegal_state', 'The webhook endpoint is disabled; enable it first.')
}

/** What can be told of a URL without resolving its name; that is done for each connection. */
function checkUrl({ webhookGuard }: HttpContext, mode: Mode, text: string): void {
  const refuse = (message: string) => invalidBody([{ path: 'url', message }])
  const url = new URL(text)
  if (mode === 'mainnet' && url.protocol !== 'https:') throw refuse('must be https in live mode')
  if (url.username || url.password) throw refuse('must not contain a user name or password')
  try {
    webhookGuard.checkHost(url.hostname)
  } catch (error) {
    throw refuse(`cannot be delivered to: ${(error as Error).message}`)
  }
}

function present(endpoint: StoredEndpoint): string {
  return JSON.stringify(presentEndpoint(endpoint))
}

function withSecret(endpoint: StoredEndpoint, serverSecret: Buffer): string {
  const secret = webhookSecretOf(endpoint.id, endpoint.secretVersion, serverSecret)
  return JSON.stringify({ ...presentEndpoint(endpoint), secret })
}

function queued(reply: FastifyReply, deliveries: number): string {
  return sendJson(reply, JSON.stringify({ deliveries }))
}

function presentDelivery({ delivered, ...row }: ListedDelivery): WebhookDelivery {
  const waiting = row.next_attempt_at ? 'pending' : 'failed'
  return {
    ...row,
    status: delivered ? 'succeeded' : waiting,
    last_attempt_at: row.last_attempt_at?.toISOString() ?? null,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  }
}
