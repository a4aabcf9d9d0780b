import type { WebhookEndpoint, WebhookEndpointWithSecret } from '@payment-intents/contract'
import { createClient, type Event, verifyWebhook } from '@payment-intents/node'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestService } from '../createTestService.ts'

const service = createTestService({ now: new Date('2030-01-01T12:00:00Z') })
const client = createClient({ apiKey: service.apiKey, baseUrl: service.baseUrl })
const url = 'https://shop.example/webhooks'
const received: { body: string; headers: Record<string, string> }[] = []
let respond = () => new HttpResponse(null, { status: 200 })
const server = setupServer(
  ...service.handlers,
  http.post(url, async ({ request }) => {
    received.push({ body: await request.text(), headers: Object.fromEntries(request.headers) })
    return respond()
  }),
)
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
beforeEach(() => {
  received.length = 0
  respond = () => new HttpResponse(null, { status: 200 })
})
afterEach(() => service.reset())
afterAll(() => server.close())

const types = () => received.map(({ body }) => (JSON.parse(body) as Event).type)
const create = () => client.createPaymentIntent({ amount_units: 25_000_000 })

async function call<Body = unknown>(method: string, path: string, body?: object): Promise<Body> {
  const response = await fetch(`${service.baseUrl}/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return (await response.json()) as Body
}

const endpoint = (more: object = {}) =>
  call<WebhookEndpointWithSecret>('POST', 'webhook_endpoints', { url, ...more })
const retrieve = (id: string) => call<WebhookEndpoint>('GET', `webhook_endpoints/${id}`)
const deliveriesOf = async (id: string) =>
  (await call<{ data: unknown[] }>('GET', `webhook_endpoints/${id}/deliveries`)).data

test('an event is sent at once, signed like the service’s', async () => {
  const { secret } = await endpoint()
  const { id } = await create()
  service.pay(id)
  await service.webhooksSent()
  expect(types()).toEqual([
    ...['payment_intent.created', 'payment_intent.pending_confirmations'],
    'payment_intent.succeeded',
  ])
  for (const { body, headers } of received) {
    const event = await verifyWebhook(body, headers, secret)
    expect(service.events).toContainEqual(event)
  }
})

test('an endpoint gets the types that it subscribes to, and nothing while it is disabled', async () => {
  const { id } = await endpoint({ enabled_events: ['payment_intent.succeeded'] })
  service.pay((await create()).id)
  await service.webhooksSent()
  expect(types()).toEqual(['payment_intent.succeeded'])
  await call('PATCH', `webhook_endpoints/${id}`, { status: 'disabled' })
  service.pay((await create()).id)
  await service.webhooksSent()
  expect(received).toHaveLength(1)
  await call('PATCH', `webhook_endpoints/${id}`, { status: 'enabled' })
  const since = new Date(service.clock.now().getTime() - 60_000).toISOString()
  expect(await call('POST', `webhook_endpoints/${id}/recover`, { since })).toEqual({
    deliveries: 1,
  })
  await service.webhooksSent()
  expect(types()).toEqual(['payment_intent.succeeded', 'payment_intent.succeeded'])
})

test('a webhook that failed is sent again when the clock reaches its next attempt', async () => {
  const { id } = await endpoint()
  respond = () => new HttpResponse(null, { status: 500 })
  await create()
  await service.webhooksSent()
  expect(await deliveriesOf(id)).toMatchObject([
    { status: 'pending', attempts: 1, response_status: 500, event_type: 'payment_intent.created' },
  ])
  expect((await retrieve(id)).failing_since).not.toBeNull()
  respond = () => new HttpResponse(null, { status: 204 })
  service.clock.advance(1)
  await service.webhooksSent()
  expect(await deliveriesOf(id)).toMatchObject([
    { status: 'succeeded', attempts: 2, response_status: 204, next_attempt_at: null },
  ])
  expect((await retrieve(id)).failing_since).toBeNull()
})

test('each attempt is stored with the receiver’s response', async () => {
  const { id } = await endpoint()
  respond = () => new HttpResponse('<b>Bad\u0000 Gateway</b>', { status: 502 })
  const event = await client.webhookEndpoints.sendTest(id)
  await service.webhooksSent()
  respond = () => HttpResponse.error() as HttpResponse<null>
  service.clock.advance(1)
  await service.webhooksSent()
  const list = () => client.webhookEndpoints.listAttempts(id, { event: event.id })
  expect((await list()).data).toMatchObject([
    { response_status: null, response_body: null, error_code: 'connection_broken' },
    { response_status: 502, response_body: '<b>Bad Gateway</b>', error_code: null, error: null },
  ])
  for (let redelivery = 0; redelivery < 20; redelivery += 1) {
    await client.events.redeliver(event.id)
    await service.webhooksSent()
  }
  expect(await list().autoPagingToArray({ limit: 100 })).toHaveLength(20)
  expect((await client.webhookEndpoints.listAttempts(id, { event: 'evt_other' })).data).toEqual([])
})

test('a test event is sent to its endpoint alone', async () => {
  const { id } = await endpoint({ enabled_events: ['payment_intent.reversed'] })
  await endpoint({ description: 'Another' })
  const first = await client.webhookEndpoints.sendTest(id)
  await client.webhookEndpoints.sendTest(id)
  await service.webhooksSent()
  expect(received).toHaveLength(2)
  expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([first, { sequence: 2 }])
})

test('an event is redelivered to every enabled endpoint', async () => {
  await endpoint()
  await create()
  await service.webhooksSent()
  const [event] = service.events as [Event]
  expect(await call('POST', `events/${event.id}/redeliver`)).toEqual({ deliveries: 1 })
  await service.webhooksSent()
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([event.id, event.id])
})

test('an endpoint that responds 410 is disabled, and other endpoints get an event about it', async () => {
  const { id } = await endpoint()
  respond = () => new HttpResponse(null, { status: 410 })
  await create()
  await service.webhooksSent()
  expect(await retrieve(id)).toMatchObject({
    status: 'disabled',
    disabled_reason: 'gone',
  })
  expect(service.events.at(-1)).toMatchObject({
    type: 'webhook_endpoint.disabled',
    data: { object: { id, disabled_reason: 'gone' } },
  })
})

test('an endpoint needs attention after an hour of failures, until it works again', async () => {
  const { id } = await endpoint()
  respond = () => new HttpResponse(null, { status: 500 })
  await create()
  await service.webhooksSent()
  const list = async () => (await client.attention.list()).data
  service.clock.advance(59)
  await service.webhooksSent()
  expect(await list()).toEqual([])
  service.clock.advance(1)
  const since = '2030-01-01T12:00:00.000Z'
  const webhook_endpoint = await retrieve(id)
  const cursor = expect.any(String)
  expect(await list()).toEqual([
    { type: 'webhook_endpoint_failing', since, cursor, webhook_endpoint },
  ])
  respond = () => new HttpResponse(null, { status: 200 })
  service.clock.advance(24 * 60)
  await service.webhooksSent()
  expect(await list()).toEqual([])
})

test('after a rotation both secrets sign, for as long as they overlap', async () => {
  const { id, secret: old } = await endpoint()
  const { secret } = await call<WebhookEndpointWithSecret>(
    'POST',
    `webhook_endpoints/${id}/rotate_secret`,
    {
      overlap_hours: 1,
    },
  )
  await create()
  await service.webhooksSent()
  const [first] = received as [(typeof received)[0]]
  for (const each of [old, secret]) {
    await verifyWebhook(first.body, first.headers, each)
  }
  service.clock.advance(61)
  await create()
  await service.webhooksSent()
  const last = received.at(-1) as (typeof received)[0]
  const verify = (by: string) => verifyWebhook(last.body, last.headers, by)
  await verify(secret)
  await expect(verify(old)).rejects.toThrow()
})

test('a deleted endpoint gets no more events', async () => {
  const { id } = await endpoint()
  await call('DELETE', `webhook_endpoints/${id}`)
  await create()
  await service.webhooksSent()
  expect(received).toEqual([])
})
