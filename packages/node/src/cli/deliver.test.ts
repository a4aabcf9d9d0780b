import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { holdTimers } from '../../../../tests/support/holdTimers.ts'
import { until as eventually } from '../../../../tests/support/until.ts'
import {
  eventId,
  received,
  reservePort,
  secret,
  serveEvents,
  start,
  testEvent,
} from '../../test/cliSupport.ts'
import { onHead } from '../../test/onHead.ts'
import { apiKey, json, serve, text } from '../../test/testServer.ts'
import { verifyWebhook } from '../webhook/verifyWebhook.ts'

/** Milliseconds; `holdTimers` holds these timers. */
const held = 3_600_000

test('a delivery is like a webhook, signed with the secret', async () => {
  const service = await serveEvents()
  const receiver = await serve(received)
  const { until, deliveries } = start({ baseUrl: service.url, to: `${receiver.url}/hooks?a=b` })
  await until('ready')
  service.events.push(testEvent(1))
  await until('delivery')
  const { target, body, ...request } = receiver.requests[0] ?? expect.fail()
  const headers = request.headers as Record<string, string>
  expect(target).toBe('POST /hooks?a=b')
  expect(headers['content-type']).toBe('application/json')
  expect(headers['webhook-id']).toBe(eventId(1))
  expect(await verifyWebhook(body, headers, secret)).toEqual(testEvent(1))
  expect(new Webhook(secret).verify(body, headers)).toEqual(testEvent(1))
  expect(deliveries()).toMatchObject([{ attempt: 1, status: 200, problem: undefined }])
})

test('a delivery is shown before the next event when it is answered quickly', async () => {
  const service = await serveEvents()
  const receiver = await serve(received)
  const pace = { patience: 60_000 }
  const { until, kinds } = start({ baseUrl: service.url, to: receiver.url, pace })
  await until('ready')
  service.events.push(testEvent(1), testEvent(2), testEvent(3))
  await until('delivery', 3)
  const pair = ['event', 'delivery']
  expect(kinds()).toEqual(['ready', ...pair, ...pair, ...pair])
})

test('a failed delivery is retried a few times with the same id, then given up', async () => {
  const service = await serveEvents()
  const receiver = await serve(text(500, ''))
  const { until, deliveries } = start({ baseUrl: service.url, to: receiver.url })
  await until('ready')
  service.events.push(testEvent(1))
  await until('delivery', 4)
  const tries = deliveries().map(({ attempt, retryMs }) => [attempt, retryMs])
  expect(tries).toEqual([...[1, 2, 3].map((attempt) => [attempt, 10]), [4, undefined]])
  const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids)).toEqual(new Set([eventId(1)]))
})

test('a delivery gets through to a handler that is started only then', async () => {
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

test('a delivery that is never answered holds up no event after it', async () => {
  const service = await serveEvents()
  const receiver = await serve((response) => {
    if (response.req.headers['webhook-id'] !== eventId(1)) received(response)
  })
  const { until, deliveries } = start({ baseUrl: service.url, to: receiver.url })
  await until('ready')
  service.events.push(testEvent(1), testEvent(2), testEvent(3))
  await until('delivery', 2)
  expect(
    deliveries()
      .map(({ event }) => event.id)
      .sort(),
  ).toEqual([2, 3].map(eventId))
})

test('a delivery that is not answered in time is aborted and retried', async () => {
  const service = await serveEvents()
  const clock = holdTimers()
  const receiver = await serve(() => clock.runOut())
  const pace = { timeout: held }
  const { until, deliveries } = start({ baseUrl: service.url, to: receiver.url, pace })
  await until('ready')
  service.events.push(testEvent(1))
  await until('delivery', 2)
  expect(deliveries()[0]).toMatchObject({ problem: expect.stringMatching(/^no answer within/) })
  await receiver.requests[0]?.closed
})

test.each<[string, Parameters<typeof serve>[0], RegExp]>([
  ['the reason that JSON gives', json(400, { error: 'x', message: 'Wrong.' }), /^Wrong\.$/],
  ['the code of JSON without one', json(500, { error: 'broken' }), /^broken$/],
  ['the first line of a text', text(500, '\nTypeError: x\n  at y'), /^TypeError: x$/],
  ['a hint rather than a page', text(404, '<!doctype html>'), /^there is no such path/],
  ['a hint without a body', text(500, ''), /^your handler failed/],
  ['where a redirect leads', text(308, '', { location: '/hooks/' }), /redirect to \/hooks\//],
  ['a connection that breaks', (r) => void r.destroy(), /closed the connection without/],
])('a delivery reports %s', async (_, reply, problem) => {
  const service = await serveEvents()
  const receiver = await serve(reply)
  const pace = { retries: [] }
  const { until, deliveries } = start({ baseUrl: service.url, to: receiver.url, pace })
  await until('ready')
  service.events.push(testEvent(1))
  await until('delivery')
  expect(deliveries()).toMatchObject([{ problem: expect.stringMatching(problem) }])
})

test('a delivery has the status of an answer whose body never ends', async () => {
  const service = await serveEvents()
  const receiver = await serve((response) => void response.writeHead(418).write('tea'))
  const clock = holdTimers()
  onHead('node:http', clock.runOut)
  const pace = { retries: [], timeout: held }
  const { until, deliveries } = start({ baseUrl: service.url, to: receiver.url, pace })
  await until('ready')
  service.events.push(testEvent(1))
  await until('delivery')
  expect(deliveries()).toMatchObject([{ status: 418, problem: 'tea' }])
  await receiver.requests[0]?.closed
})

test('a successful delivery keeps no connection, even if its answer goes on', async () => {
  const service = await serveEvents()
  const receiver = await serve((response) => void response.writeHead(200).write('more to come'))
  const clock = holdTimers()
  const pace = { timeout: held }
  const { until, deliveries } = start({ baseUrl: service.url, to: receiver.url, pace })
  await until('ready')
  service.events.push(testEvent(1))
  await until('delivery')
  expect(deliveries()).toMatchObject([{ status: 200, problem: undefined }])
  clock.runOut()
  await receiver.requests[0]?.closed
})

test('a delivery redacts secrets in an answer', async () => {
  const service = await serveEvents()
  const receiver = await serve(text(500, `not ${apiKey} but ${secret} is expected`))
  const { until, news } = start({ baseUrl: service.url, to: receiver.url })
  await until('ready')
  service.events.push(testEvent(1))
  await until('delivery', 4)
  const reported = JSON.stringify(news.filter(({ kind }) => kind !== 'ready'))
  expect(reported).toContain('not [api key] but [webhook secret] is expected')
  expect(reported).not.toContain(apiKey)
  expect(reported).not.toContain(secret.slice('whsec_'.length))
})

test('a delivery that is gone is not tried again', async () => {
  const service = await serveEvents()
  const receiver = await serve(text(410, ''), received)
  const { until, deliveries } = start({ baseUrl: service.url, to: receiver.url })
  await until('ready')
  service.events.push(testEvent(1))
  await until('delivery')
  service.events.push(testEvent(2))
  await until('delivery', 2)
  expect(deliveries().map(({ status }) => status)).toEqual([410, 200])
  expect(deliveries()[0]).toMatchObject({ retryMs: undefined })
})

test('a delivery is made again when asked for, by the same id', async () => {
  const service = await serveEvents()
  const receiver = await serve(received)
  const pace = { patience: 60_000 }
  const { listener, until } = start({ baseUrl: service.url, to: receiver.url, pace })
  await until('ready')
  listener.again()
  service.events.push(testEvent(1), testEvent(2))
  await until('delivery', 2)
  listener.again()
  await until('delivery', 3)
  const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
  expect(ids).toEqual([1, 2, 2].map(eventId))
})
