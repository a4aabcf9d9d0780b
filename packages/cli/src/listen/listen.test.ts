import { describe, expect, test } from 'vitest'
import { until as eventually } from '../../../../tests/support/until.ts'
import { json, serve, text } from '../../../node/test/stubServer.ts'
import { eventId, received, serveEvents, start, testEvent } from '../../test/cliSupport.ts'

describe('events', () => {
  test('are shown from now on, each once and in order, without earlier ones', async () => {
    const service = await serveEvents([testEvent(1), testEvent(2), testEvent(3)])
    const { until, shown } = start({ baseUrl: service.url })
    await until('ready')
    for (let number = 4; number <= 8; number += 1) service.events.push(testEvent(number))
    await until('event', 5)
    service.events.push(testEvent(9))
    await until('event', 6)
    expect(shown()).toEqual([4, 5, 6, 7, 8, 9].map(eventId))
  })

  test('include the first event that the merchant ever has', async () => {
    const service = await serveEvents()
    const { until, shown } = start({ baseUrl: service.url })
    await until('ready')
    service.events.push(testEvent(1))
    await until('event')
    expect(shown()).toEqual([eventId(1)])
  })

  test('skip a long history, starting at the newest payment intent', async () => {
    const history = Array.from({ length: 21 }, (_, index) => testEvent(index + 1))
    const service = await serveEvents(history, 20)
    const { until, shown } = start({ baseUrl: service.url })
    await until('ready')
    const listRequests = service.requests.filter(({ target }) =>
      target.startsWith('GET /v1/events?'),
    )
    expect(listRequests[1]?.target).toContain(`starting_after=${eventId(20)}`)
    service.events.push(testEvent(22))
    await until('event')
    expect(shown()).toEqual([eventId(22)])
  })

  test('start after `since`', async () => {
    const service = await serveEvents([1, 2, 3, 4, 5].map((number) => testEvent(number)))
    const { until, shown } = start({ baseUrl: service.url, since: eventId(2) })
    await until('event', 3)
    expect(shown()).toEqual([3, 4, 5].map(eventId))
  })

  test('of other types are skipped and do not delay later events', async () => {
    const service = await serveEvents()
    const receiver = await serve(received)
    const types = ['payment_intent.succeeded']
    const { until, shown } = start({ baseUrl: service.url, to: receiver.url, types })
    await until('ready')
    const other = { type: 'payment_intent.expired' }
    service.events.push(testEvent(1, other), testEvent(2, other), testEvent(3, other), testEvent(4))
    await until('delivery')
    expect(shown()).toEqual([eventId(4)])
    expect(receiver.requests).toHaveLength(1)
  })

  test('all arrive after an outage of the service, which is reported once', async () => {
    const service = await serveEvents()
    const { until, shown, news } = start({ baseUrl: service.url })
    await until('ready')
    service.events.push(testEvent(1))
    await until('event')
    service.setReply((response) => response.destroy())
    await until('lost')
    service.events.push(testEvent(2), testEvent(3), testEvent(4))
    const requestsBefore = service.requests.length
    await eventually(() => expect(service.requests.length).toBeGreaterThan(requestsBefore + 3))
    service.setReply(text(404, '<html>'))
    const requestsAfter = service.requests.length
    await eventually(() => expect(service.requests.length).toBeGreaterThan(requestsAfter + 3))
    service.restore()
    await until('event', 4)
    expect(shown()).toEqual([1, 2, 3, 4].map(eventId))
    expect(news.map(({ kind }) => kind)).toEqual([
      ...['ready', 'event', 'lost', 'regained', 'event', 'event', 'event'],
    ])
    expect(news.find(({ kind }) => kind === 'lost')).toMatchObject({
      message: expect.stringContaining('could not be reached'),
    })
  })

  test('start once the service is up', async () => {
    const service = await serveEvents([testEvent(1)])
    service.setReply(text(503, ''))
    const { until, kinds } = start({ baseUrl: service.url })
    await until('lost')
    service.restore()
    await until('ready')
    expect(kinds()).toEqual(['lost', 'ready'])
  })
})

describe('it ends', () => {
  test.each([
    [401, { error: 'api_key_invalid' }, 'api_key_invalid'],
    [404, { error: 'merchant_not_found' }, 'merchant_not_found'],
  ])('when the service refuses: %d', async (status, body, code) => {
    const service = await serveEvents()
    const { listener, until } = start({ baseUrl: service.url })
    await until('ready')
    service.setReply(json(status, body))
    await expect(listener.done).rejects.toMatchObject({ code })
  })

  test('at the start if something other than the service responds', async () => {
    const { url } = await serve(text(404, '<html>'))
    await expect(start({ baseUrl: url }).listener.done).rejects.toMatchObject({
      code: 'unexpected_status',
    })
  })

  test('at once when its signal is aborted, also during requests and waits', async () => {
    const service = await serveEvents()
    const silent = await serve(() => {})
    const pace = { patience: 60_000 }
    const { until, news, shown, stop } = start({ baseUrl: service.url, to: silent.url, pace })
    await until('ready')
    service.events.push(testEvent(1), testEvent(2))
    await eventually(() => expect(silent.requests).toHaveLength(1))
    // The service hangs as well.
    service.setReply(() => {})
    await stop()
    await silent.requests[0]?.closed
    expect(shown()).toEqual([eventId(1)])
    expect(news.at(-1)).toEqual({ kind: 'stopped', last: undefined })
  })
})

describe('where to resume', () => {
  const stopped = (last: number | undefined) => ({
    kind: 'stopped',
    last: last === undefined ? undefined : eventId(last),
  })

  test('is after the last event if events are only shown', async () => {
    const service = await serveEvents()
    const { until, news, stop } = start({ baseUrl: service.url })
    await until('ready')
    service.events.push(testEvent(1), testEvent(2))
    await until('event', 2)
    await stop()
    expect(news.at(-1)).toEqual(stopped(2))
  })

  test.each([
    ['the last of before', [testEvent(1), testEvent(2)], undefined, 2],
    ['`since`', [testEvent(1), testEvent(2)], eventId(1), 1],
    ['nothing where nothing was', [], undefined, undefined],
  ])('is after %s while nothing is delivered', async (_, events, since, last) => {
    const service = await serveEvents([...events])
    const silent = await serve(() => {})
    const { until, news, stop } = start({ baseUrl: service.url, to: silent.url, since })
    await until('ready')
    service.events.push(testEvent(events.length + 1))
    await eventually(() => expect(silent.requests).not.toEqual([]))
    await stop()
    expect(news.at(-1)).toEqual(stopped(last))
  })

  test('is before the first event that still has a retry', async () => {
    const service = await serveEvents()
    const refusing = new Set([2, 3].map(eventId))
    const receiver = await serve((response) => {
      const isRefused = refusing.has(String(response.req.headers['webhook-id']))
      text(isRefused ? 500 : 200, '')(response)
    })
    const pace = { retries: [10, 3_600_000] }
    const { until, deliveries, news, stop } = start({
      ...{ baseUrl: service.url, to: receiver.url, pace },
    })
    await until('ready')
    service.events.push(...[1, 2, 3, 4].map((number) => testEvent(number)))
    await until('delivery', 6)
    expect(deliveries().filter(({ status }) => status === 200)).toHaveLength(2)
    await stop()
    expect(news.at(-1)).toEqual(stopped(1))
  })

  test('is after an event that failed for good or was delivered late', async () => {
    const service = await serveEvents()
    const failing = text(500, '')
    const receiver = await serve(failing, failing, failing, received)
    const pace = { retries: [10], patience: 60_000 }
    const { until, news, stop } = start({ baseUrl: service.url, to: receiver.url, pace })
    await until('ready')
    service.events.push(testEvent(1))
    await until('delivery', 2)
    service.events.push(testEvent(2))
    await until('delivery', 4)
    await stop()
    expect(news.at(-1)).toEqual(stopped(2))
  })
})
