import { setTimeout as sleep } from 'node:timers/promises'
import { limits, type Mode, type WebhookDelivery, windows } from '@payment-intents/contract'
import { conflict, invalidBody, notFound } from '@payment-intents/rules'
import type { FastifyInstance } from 'fastify'
import { findEvent } from '../db/events/listEvents.ts'
import { newId } from '../db/ids.ts'
import type { Actor } from '../db/merchants/actor.ts'
import { toPage } from '../db/page.ts'
import {
  hasClaims,
  type ListedDelivery,
  listDeliveries,
  recoverDeliveries,
  redeliverEvent,
} from '../db/webhooks/deliveries.ts'
import {
  deleteEndpoint,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  mostEndpoints,
  presentEndpoint,
  rotateSecret,
  type StoredEndpoint,
  silenceEndpoint,
  updateEndpoint,
} from '../db/webhooks/endpoints.ts'
import { webhookSecretOf } from '../secrets/webhookSecret.ts'
import type { HttpContext } from './context.ts'
import { pageText } from './send.ts'
import { serve } from './serve.ts'

/** A try that is under way when its endpoint is deleted is ended at once; its claim is the longest it can last. */
const deletionPatienceMs = 20_000

export function webhookEndpointRoutes(app: FastifyInstance, context: HttpContext): void {
  const { db, serverSecret, now } = context

  serve(app, context, 'createWebhookEndpoint', async ({ actor, body }) => {
    checkUrl(context, actor.mode, body.url)
    const { url, description = '', enabled_events: enabledEvents = null } = body
    const terms = { url, description, enabledEvents }
    const endpoint = await insertEndpoint(db, actor, newId('we', now()), terms, now())
    if (endpoint === 'too_many') {
      const message = `There are ${mostEndpoints} endpoints already; delete one first.`
      throw conflict('illegal_state', message)
    }
    return withSecret(endpoint, serverSecret)
  })

  serve(app, context, 'listWebhookEndpoints', async ({ actor }) => {
    const items = await listEndpoints(db.pool, actor)
    return pageText({ items, hasMore: false }, present)
  })

  serve(app, context, 'retrieveWebhookEndpoint', async ({ actor, id }) =>
    present(await found(actor, id)),
  )

  serve(app, context, 'updateWebhookEndpoint', async ({ actor, id, body }) => {
    if (body.url !== undefined) checkUrl(context, actor.mode, body.url)
    const change = {
      url: body.url ?? null,
      description: body.description ?? null,
      // Null means every type, unlike a property that is left out.
      enabledEvents: body.enabled_events === undefined ? 'unchanged' : body.enabled_events,
      status: body.status ?? null,
    } as const
    const endpoint = await updateEndpoint(db.pool, actor, id, change)
    if (!endpoint) throw notFound('webhook endpoint')
    return present(endpoint)
  })

  serve(app, context, 'deleteWebhookEndpoint', async ({ actor, id }) => {
    await found(actor, id)
    await silenceEndpoint(db.pool, id)
    const patience = Date.now() + deletionPatienceMs
    while (Date.now() < patience && (await hasClaims(db.pool, id))) await sleep(20)
    await deleteEndpoint(db, actor, id)
    return JSON.stringify({ id, deleted: true })
  })

  serve(app, context, 'rotateWebhookSecret', async ({ actor, id, body }) => {
    const endpoint = await rotateSecret(db.pool, actor, id, body.overlap_hours ?? 24)
    if (!endpoint) throw notFound('webhook endpoint')
    return withSecret(endpoint, serverSecret)
  })

  serve(app, context, 'recoverWebhookEndpoint', async ({ actor, id, body }) => {
    const since = new Date(body.since)
    if (since.getTime() < now() - windows.history * 1_000) {
      throw invalidBody([
        { path: 'since', message: `is more than ${windows.history / 86_400} days ago` },
      ])
    }
    enabled(await found(actor, id))
    return queued(await recoverDeliveries(db.pool, actor, id, since))
  })

  serve(app, context, 'listWebhookDeliveries', async ({ actor, id, query }) => {
    await found(actor, id)
    const limit = query.limit ?? limits.pageSize.default
    const startingAfter = query.starting_after ?? null
    const rows = await listDeliveries(db.pool, id, { limit, startingAfter })
    return pageText(toPage(rows, limit, presentDelivery), JSON.stringify)
  })

  serve(app, context, 'redeliverEvent', async ({ actor, id, body }) => {
    if (!(await findEvent(db.pool, actor, id))) throw notFound('event')
    const target = body.webhook_endpoint ?? null
    if (target) enabled(await found(actor, target))
    return queued(await redeliverEvent(db.pool, actor, id, target))
  })

  async function found(who: Actor, id: string): Promise<StoredEndpoint> {
    const endpoint = await findEndpoint(db.pool, who, id)
    if (!endpoint) throw notFound('webhook endpoint')
    return endpoint
  }
}

function enabled(endpoint: StoredEndpoint): void {
  if (!endpoint.disabledReason) return
  throw conflict('illegal_state', 'The webhook endpoint is disabled; enable it first.')
}

/** Checks what does not need the name resolved; that is done for each connection. */
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

function queued(deliveries: number): string {
  return JSON.stringify({ deliveries })
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
