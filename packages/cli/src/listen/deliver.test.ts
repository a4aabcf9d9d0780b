import { verifyWebhook } from '@payment-intents/node'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { holdTimers } from '../../../../tests/support/holdTimers.ts'
import { until as eventually } from '../../../../tests/support/until.ts'
import { onHead } from '../../../node/test/onHead.ts'
import { apiKey, json, type Reply, serve, text } from '../../../node/test/stubServer.ts'
import {
  eventId,
  received,
  reservePort,
  secret,
  serveEvents,
  start,
  testEvent,
} from '../../test/cliSupport.ts'
import type { Pace } from './listen.ts'

/** Milliseconds; `holdTimers` holds these timers. */
const hour = 3_600_000

type Posting = { path?: string; pace?: Partial<Pace>; events?: number; deliveries?: number }

/** Posts events to a receiver with this reply, until this many deliveries are reported. */
async function post(
  replies: Parameters<typeof serve>,
  { path = '', pace = {}, events = 1, ...until }: Posting = {},
) {
  const service = await serveEvents()
  const receiver = await serve(...replies)
  const listening = start({ baseUrl: service.url, to: receiver.url + path, pace })
  await listening.until('ready')
  service.events.push(...Array.from({ length: events }, (_, index) => testEvent(index + 1)))
  await listening.until('delivery', until.deliveries)
  return { ...listening, service, receiver }
}

test('a delivery is like a webhook, signed with the secret', async () => {
  const { receiver, deliveries } = await post([received], { path: '/hooks?a=b' })
  const { target, body, ...request } = receiver.requests[0] ?? expect.fail()
  const headers = request.headers as Record<string, string>
  expect(target).toBe('POST /hooks?a=b')
  expect(headers['content-type']).toBe('application/json')
  expect(headers['webhook-id']).toBe(eventId(1))
  expect(await verifyWebhook(body, headers, secret)).toEqual(testEvent(1))
  expect(new Webhook(secret).verify(body, headers)).toEqual(testEvent(1))
  expect(deliveries()).toMatchObject([{ attempt: 1, status: 200, problem: undefined }])
})

test('a delivery with a quick response is shown before the next event', async () => {
  const pace = { patience: 60_000 }
  const { kinds } = await post([received], { pace, events: 3, deliveries: 3 })
  const pair = ['event', 'delivery']
  expect(kinds()).toEqual(['ready', ...pair, ...pair, ...pair])
})

test('a failed delivery is retried a few times with the same id, then given up', async () => {
  const { receiver, deliveries } = await post([text(500, '')], { deliveries: 4 })
  const tries = deliveries().map(({ attempt, retryMs }) => [attempt, retryMs])
  expect(tries).toEqual([...[1, 2, 3].map((attempt) => [attempt, 10]), [4, undefined]])
  const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids)).toEqual(new Set([eventId(1)]))
})

test('a delivery reaches a handler that starts late', async () => {
  const service = await serveEvents()
  const port = await reservePort()
  const pace = { retries: Array(1_000).fill(10) }
  const { until, news, deliveries } = start({ baseUrl: service.url, to: port.url, pace })
  await until('ready')
  service.events.push(testEvent(1))
  await until('delivery', 2)
  expect(deliveries()[0]).toMatchObject({
    status: undefined,
    problem: expect.stringContaining(`nothing listens at ${port.url}: start your server`),
  })
  const requests = await port.open(received)
  await eventually(() => expect(news.at(-1)).toMatchObject({ status: 200 }))
  expect(requests).toEqual([eventId(1)])
})

test('a delivery without a response does not delay later events', async () => {
  const reply: Reply = (response) => {
    if (response.req.headers['webhook-id'] !== eventId(1)) received(response)
  }
  const { deliveries } = await post([reply], { events: 3, deliveries: 2 })
  const ids = deliveries().map(({ event }) => event.id)
  expect(ids.sort()).toEqual([2, 3].map(eventId))
})

test('a delivery that times out is aborted and retried', async () => {
  const clock = holdTimers()
  const pace = { timeout: hour }
  const { receiver, deliveries } = await post([() => clock.runOut()], { pace, deliveries: 2 })
  expect(deliveries()[0]).toMatchObject({
    problem: expect.stringMatching(/^your handler sent no response within/),
  })
  await receiver.requests[0]?.closed
})

test.each<[string, Reply, RegExp]>([
  ['the reason that JSON gives', json(400, { error: 'x', message: 'Wrong.' }), /^Wrong\.$/],
  ['the code of JSON without one', json(500, { error: 'broken' }), /^broken$/],
  ['the first line of a text', text(500, '\nTypeError: x\n  at y'), /^TypeError: x$/],
  ['a hint rather than a page', text(404, '<!doctype html>'), /^your handler has no such path/],
  ['a hint without a body', text(500, ''), /^your handler failed/],
  ['where a redirect leads', text(308, '', { location: '/hooks/' }), /redirects to \/hooks\//],
  [
    'that the handler has another secret',
    json(400, {
      error: 'signature_mismatch',
      message: 'The signature was not made with the secret',
    }),
    /^your handler has another secret: start the handler with .*--print-secret\)$/,
  ],
  ['a connection that breaks', (r) => void r.destroy(), /closed the connection without/],
])('a delivery reports %s', async (_, reply, problem) => {
  const { deliveries } = await post([reply], { pace: { retries: [] } })
  expect(deliveries()).toMatchObject([{ problem: expect.stringMatching(problem) }])
})

test('a delivery reports the status of a response whose body never ends', async () => {
  const clock = holdTimers()
  onHead(418, clock.runOut)
  const endless: Reply = (response) => void response.writeHead(418).write('tea')
  const pace = { retries: [], timeout: hour }
  const { receiver, deliveries } = await post([endless], { pace })
  expect(deliveries()).toMatchObject([{ status: 418, problem: 'tea' }])
  await receiver.requests[0]?.closed
})

test('a successful delivery closes its connection, even if the response goes on', async () => {
  const clock = holdTimers()
  const endless: Reply = (response) => void response.writeHead(200).write('more to come')
  const { receiver, deliveries } = await post([endless], { pace: { timeout: hour } })
  expect(deliveries()).toMatchObject([{ status: 200, problem: undefined }])
  clock.runOut()
  await receiver.requests[0]?.closed
})

test('a delivery redacts secrets in a response', async () => {
  const reply = text(500, `not ${apiKey} but ${secret} is expected`)
  const { news } = await post([reply], { deliveries: 4 })
  const reported = JSON.stringify(news.filter(({ kind }) => kind !== 'ready'))
  expect(reported).toContain('not [api key] but [webhook secret] is expected')
  expect(reported).not.toContain(apiKey)
  expect(reported).not.toContain(secret.slice('whsec_'.length))
})

test('a delivery whose response is 410 is not retried', async () => {
  const { service, until, deliveries } = await post([text(410, ''), received])
  service.events.push(testEvent(2))
  await until('delivery', 2)
  expect(deliveries().map(({ status }) => status)).toEqual([410, 200])
  expect(deliveries()[0]).toMatchObject({ retryMs: undefined })
})

test('a redelivery has the same id', async () => {
  const service = await serveEvents()
  const receiver = await serve(received)
  const pace = { patience: 60_000 }
  const { listener, until } = start({ baseUrl: service.url, to: receiver.url, pace })
  await until('ready')
  listener.redeliver()
  service.events.push(testEvent(1), testEvent(2))
  await until('delivery', 2)
  listener.redeliver()
  await until('delivery', 3)
  const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
  expect(ids).toEqual([1, 2, 2].map(eventId))
})
