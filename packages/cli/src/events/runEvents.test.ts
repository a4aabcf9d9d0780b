import { createClient } from '@payment-intents/node'
import { expect, test } from 'vitest'
import { apiKey, json, serve } from '../../../node/test/stubServer.ts'
import { fixture } from '../trigger/fixture.ts'
import type { EventsCommand } from './readEvents.ts'
import { runEvents } from './runEvents.ts'

async function run(command: EventsCommand, response: object, ...later: object[]) {
  const server = await serve(json(200, response), ...later.map((other) => json(200, other)))
  const client = createClient({ apiKey, baseUrl: server.url })
  const lines: string[] = []
  for await (const line of runEvents(client, command, false)) lines.push(line)
  return { lines, requests: server.requests.map(({ target, body }) => [target, body]) }
}

const events = ['payment_intent.succeeded', 'payment_intent.created', 'refund.created'] as const
const page = (first: number, last: number, has_more: boolean) => ({
  data: events.slice(first, last).map((type) => fixture(type)),
  has_more,
})
const list: EventsCommand & { action: 'list' } = {
  ...{ action: 'list', count: 2, type: undefined, paymentIntent: undefined, json: false },
}

test('lists events on a line each, newest first, up to the requested number', async () => {
  const { lines, requests } = await run(list, page(0, 2, true))
  expect(lines).toEqual([
    expect.stringMatching(/ {2}payment_intent\.succeeded {2}pi_\w+ {2}25\.00 USDC {2}evt_\w+$/),
    expect.stringMatching(/ {2}payment_intent\.created {2}pi_/),
  ])
  expect(requests).toEqual([['GET /v1/events?order=desc&limit=2', '']])
})

test('reads pages with the filters until there are enough events', async () => {
  const filters = { type: events[0], paymentIntent: 'pi_1', count: 300, json: true } as const
  const first = page(0, 2, true)
  const { lines, requests } = await run({ ...list, ...filters }, first, page(2, 3, false))
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(events)
  const query = 'limit=100&order=desc&payment_intent=pi_1'
  expect(requests.map(([target]) => target)).toEqual([
    expect.stringMatching(/^GET \/v1\/events\?.*type=payment_intent\.succeeded/),
    expect.stringContaining(`starting_after=${first.data[1]?.id}`),
  ])
  for (const part of query.split('&')) expect(requests[0]?.[0]).toContain(part)
})

test.each([
  [undefined, 2, '', 'evt_1 is queued for 2 endpoints.'],
  ['we_1', 1, '{"webhook_endpoint":"we_1"}', 'evt_1 is queued for 1 endpoint.'],
  [undefined, 0, '', 'evt_1 goes to no endpoint: no enabled endpoint takes its type.'],
])('resends an event to %s: %i', async (endpoint, deliveries, body, line) => {
  const resend = { action: 'resend', event: 'evt_1', endpoint } as const
  const { lines, requests } = await run(resend, { deliveries })
  expect(lines).toEqual([line])
  const [request] = requests
  expect(request?.[0]).toBe('POST /v1/events/evt_1/redeliver')
  expect(request?.[1] === '{}' ? '' : request?.[1]).toBe(body)
})
