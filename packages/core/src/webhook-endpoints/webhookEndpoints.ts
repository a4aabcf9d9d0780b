import {
  limits,
  type Mode,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookEndpoint,
  windows,
} from '@payment-intents/contract'
import { presentEvent } from '../events/events.ts'
import { conflict, type HttpError, invalidBody, notFoundError } from '../http/httpError.ts'
import { presentPage } from '../lib/presentPage.ts'
import type { Actor, Handler, Service, ServiceResponse } from '../service.ts'
import type { StoredAttempt, StoredDelivery, StoredEndpoint } from './store.ts'

/** Endpoints of one merchant in one mode. */
export const maxEndpoints = 16
const defaultOverlapHours = 24

export const createWebhookEndpoint: Handler<'createWebhookEndpoint'> = async (
  service,
  { actor, body },
) => {
  checkUrl(service, actor.mode, body.url)
  const { url, description = '', enabled_events: enabledEvents = null } = body
  const now = service.now()
  const endpoint = await service.store.webhookEndpoints.insert(
    actor,
    {
      ...{ id: service.newId('we', now), createdAt: new Date(now) },
      ...{ url, description, enabledEvents, secretKey: service.secrets.currentKey() },
    },
    maxEndpoints,
  )
  if (endpoint === 'too_many') {
    const message = `There are ${maxEndpoints} webhook endpoints already; delete an endpoint first.`
    throw conflict('illegal_state', message)
  }
  return withSecret(service, endpoint)
}

export const listWebhookEndpoints: Handler<'listWebhookEndpoints'> = async (
  { store },
  { actor },
) => {
  const items = await store.webhookEndpoints.list(actor)
  return { body: presentPage({ items, hasMore: false }, presentText) }
}

export const retrieveWebhookEndpoint: Handler<'retrieveWebhookEndpoint'> = async (
  service,
  { actor, id },
) => ({ body: presentText(await find(service, actor, id)) })

export const updateWebhookEndpoint: Handler<'updateWebhookEndpoint'> = async (
  service,
  { actor, id, body },
) => {
  if (body.url !== undefined) checkUrl(service, actor.mode, body.url)
  const endpoint = await service.store.webhookEndpoints.update(actor, id, {
    url: body.url ?? null,
    description: body.description ?? null,
    // null means every type, unlike an omitted property.
    enabledEvents: body.enabled_events === undefined ? 'unchanged' : body.enabled_events,
    status: body.status ?? null,
  })
  if (!endpoint) throw notFoundError('webhook endpoint')
  return { body: presentText(endpoint) }
}

export const deleteWebhookEndpoint: Handler<'deleteWebhookEndpoint'> = async (
  service,
  { actor, id },
) => {
  await find(service, actor, id)
  await service.store.webhookEndpoints.delete(actor, id)
  return { body: JSON.stringify({ id, deleted: true }) }
}

export const rotateWebhookSecret: Handler<'rotateWebhookSecret'> = async (
  service,
  { actor, id, body },
) => {
  const endpoint = await service.store.webhookEndpoints.rotateSecret(actor, id, {
    overlapHours: body.overlap_hours ?? defaultOverlapHours,
    secretKey: service.secrets.currentKey(),
  })
  if (!endpoint) throw notFoundError('webhook endpoint')
  return withSecret(service, endpoint)
}

export const recoverWebhookEndpoint: Handler<'recoverWebhookEndpoint'> = async (
  service,
  { actor, id, body },
) => {
  const since = new Date(body.since)
  if (since.getTime() < service.now() - windows.history * 1_000) {
    const message = `is more than ${windows.history / 86_400} days ago`
    throw invalidBody([{ path: 'since', message }])
  }
  checkEnabled(await find(service, actor, id))
  return queued(await service.store.webhookEndpoints.recover(actor, id, since))
}

export const testWebhookEndpoint: Handler<'testWebhookEndpoint'> = async (
  service,
  { actor, id },
) => {
  const now = service.now()
  const event = { id: service.newId('evt', now), createdAt: new Date(now) }
  const written = await service.store.webhookEndpoints.insertTest(actor, id, event, presentText)
  if (!written) throw notFoundError('webhook endpoint')
  if (written === 'disabled') throw disabled()
  return { body: presentEvent(written) }
}

export const listWebhookDeliveries: Handler<'listWebhookDeliveries'> = async (
  service,
  { actor, id, query },
) => {
  await find(service, actor, id)
  const page = await service.store.webhookEndpoints.listDeliveries(id, {
    limit: query.limit ?? limits.pageSize.default,
    startingAfter: query.starting_after ?? null,
  })
  return { body: presentPage(page, (delivery) => JSON.stringify(presentDelivery(delivery))) }
}

export const listWebhookAttempts: Handler<'listWebhookAttempts'> = async (
  service,
  { actor, id, query },
) => {
  await find(service, actor, id)
  const page = await service.store.webhookEndpoints.listAttempts(id, {
    limit: query.limit ?? limits.pageSize.default,
    startingAfter: query.starting_after ?? null,
    event: query.event ?? null,
  })
  return { body: presentPage(page, (attempt) => JSON.stringify(presentAttempt(attempt))) }
}

export const redeliverEvent: Handler<'redeliverEvent'> = async (service, { actor, id, body }) => {
  const { events } = service.store
  if (!(await events.find(actor, id))) throw notFoundError('event')
  const endpointId = body.webhook_endpoint ?? null
  if (endpointId) checkEnabled(await find(service, actor, endpointId))
  return queued(await events.redeliver(actor, id, endpointId))
}

/** An endpoint as merchants read it, without its secret. */
export function presentEndpoint(endpoint: StoredEndpoint): WebhookEndpoint {
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    enabled_events: endpoint.enabledEvents && [...endpoint.enabledEvents],
    mode: endpoint.mode,
    status: endpoint.disabledReason ? 'disabled' : 'enabled',
    disabled_reason: endpoint.disabledReason,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    created_at: endpoint.createdAt.toISOString(),
  }
}

async function find(
  { store }: Pick<Service, 'store'>,
  actor: Actor,
  id: string,
): Promise<StoredEndpoint> {
  const endpoint = await store.webhookEndpoints.find(actor, id)
  if (!endpoint) throw notFoundError('webhook endpoint')
  return endpoint
}

function checkEnabled({ disabledReason }: StoredEndpoint): void {
  if (disabledReason) throw disabled()
}

function disabled(): HttpError {
  return conflict('illegal_state', 'The webhook endpoint is disabled; enable it first.')
}

/** Checks everything but name resolution; the addresses are checked at each connection. */
function checkUrl(service: Service, mode: Mode, text: string): void {
  const refuse = (message: string) => invalidBody([{ path: 'url', message }])
  const url = new URL(text)
  const isSafe = url.protocol === 'https:' || service.allowsPlainWebhook(url)
  if (mode === 'mainnet' && !isSafe) throw refuse('must be https in live mode')
  if (url.username || url.password) throw refuse('must not contain a user name or password')
  const reason = service.refuseWebhookHost(url)
  if (reason !== null) throw refuse(`cannot be delivered to: ${reason}`)
}

function presentText(endpoint: StoredEndpoint): string {
  return JSON.stringify(presentEndpoint(endpoint))
}

function withSecret({ secrets }: Service, endpoint: StoredEndpoint): ServiceResponse {
  const { id, secretVersion, secretKey } = endpoint
  const secret = secrets.webhookSecret(id, secretVersion, secretKey)
  return { body: JSON.stringify({ ...presentEndpoint(endpoint), secret }) }
}

function queued(deliveries: number): ServiceResponse {
  return { body: JSON.stringify({ deliveries }) }
}

function presentDelivery(delivery: StoredDelivery): WebhookDelivery {
  const pending = delivery.nextAttemptAt ? 'pending' : 'failed'
  return {
    event: delivery.event,
    event_type: delivery.eventType,
    attempts: delivery.attempts,
    last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    response_status: delivery.responseStatus,
    error: delivery.error,
    status: delivery.delivered ? 'succeeded' : pending,
  }
}

function presentAttempt(attempt: StoredAttempt): WebhookAttempt {
  return {
    id: attempt.id,
    event: attempt.event,
    event_type: attempt.eventType,
    created_at: attempt.startedAt.toISOString(),
    duration_ms: attempt.durationMs,
    response_status: attempt.responseStatus,
    response_body: attempt.responseBody,
    error_code: attempt.errorCode,
    error: attempt.error,
  }
}
