import { beforeEach, describe, expect, test, vi } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { event, id, listed, page, transfer } from '../../test/responses.ts'
import { apiKey, json, serve } from '../../test/stubServer.ts'
import { createClient } from '../createClient.ts'

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No wait between attempts.
})

const all = [5, 4, 3, 2, 1].map((number) => ({ ...listed, id: id('pi', number) }))

test('awaited is its first page, and requests no other page', async () => {
  const server = await serve(page(all.slice(0, 2), true))
  const client = createClient({ apiKey, baseUrl: server.url })
  const first = await client.paymentIntents.list({ limit: 2 })
  expect(first).toEqual({ data: all.slice(0, 2), has_more: true })
  expect(server.requests.map(({ target }) => target)).toEqual(['GET /v1/payment_intents?limit=2'])
})

test('a date alone is refused with an example of a time', async () => {
  const list = createClient({ apiKey, baseUrl: 'http://localhost:1' }).paymentIntents.list
  await expect(list({ created_after: '2026-11-01' })).rejects.toThrow(
    'created_after: must be a time with its offset, like 2026-01-31T00:00:00Z.',
  )
  await expect(list({ created_after: 5 as never })).rejects.toThrow(
    'must be a string, not a number',
  )
})

test('iterated is all items, and each page is requested when it is needed', async () => {
  const server = await serve(
    page(all.slice(0, 2), true),
    page(all.slice(2, 4), true),
    page(all.slice(4), false),
  )
  const client = createClient({ apiKey, baseUrl: server.url })
  const ids: string[] = []
  const pageNumbers: number[] = []
  for await (const { id } of client.paymentIntents.list({ limit: 2, status: 'succeeded' })) {
    ids.push(id)
    pageNumbers.push(server.requests.length)
  }
  expect(ids).toEqual(all.map(({ id }) => id))
  expect(pageNumbers).toEqual([1, 1, 2, 2, 3])
  const query = '/v1/payment_intents?limit=2&status=succeeded'
  expect(server.requests.map(({ target }) => target)).toEqual([
    `GET ${query}`,
    `GET ${query}&starting_after=${id('pi', 4)}`,
    `GET ${query}&starting_after=${id('pi', 2)}`,
  ])
})

test('requests no more pages once iteration stops; a second iteration begins again', async () => {
  const server = await serve(page(all.slice(0, 2), true), page(all.slice(2), false))
  const list = createClient({ apiKey, baseUrl: server.url }).paymentIntents.list()
  for await (const { id } of list) if (id === all[1]?.id) break
  expect(server.requests).toHaveLength(1)
  expect((await list).data).toHaveLength(2)
  const ids: string[] = []
  for await (const { id } of list) ids.push(id)
  expect(ids).toEqual(all.map(({ id }) => id))
})

test('continues from `starting_after`', async () => {
  const server = await serve(page([event], false))
  const client = createClient({ apiKey, baseUrl: server.url })
  const starting_after = id('evt', 1)
  const { data } = await client.events.list({ starting_after, payment_intent: 'pi_01' })
  expect(data).toEqual([event])
  expect(server.requests[0]?.target).toBe(
    `GET /v1/events?starting_after=${starting_after}&payment_intent=pi_01`,
  )
})

test('continues after ids of any form', async () => {
  const events = [1, 2, 3].map((number) => ({ ...event, id: `evt_${number}-AB` }))
  const server = await serve(page(events.slice(0, 2), true), page(events.slice(2), false))
  const ids: string[] = []
  for await (const { id } of createClient({ apiKey, baseUrl: server.url }).events.list()) {
    ids.push(id)
  }
  expect(ids).toEqual(events.map(({ id }) => id))
  expect(server.requests[1]?.target).toBe('GET /v1/events?starting_after=evt_2-AB')
})

test('ends if a server says that an empty page has more', async () => {
  const server = await serve(page([], true))
  const ids: unknown[] = []
  for await (const item of createClient({ apiKey, baseUrl: server.url }).transfers.list()) {
    ids.push(item)
  }
  expect(ids).toEqual([])
  expect(server.requests).toHaveLength(1)
})

test('sends filters as the service reads them', async () => {
  const server = await serve(page([], false))
  const client = createClient({ apiKey, baseUrl: server.url })
  const metadata = { order_id: 'A&1=ü', 'a]b': ' ' }
  await client.paymentIntents.list({ chain: 'base', metadata })
  await client.transfers.list({ matched: false, limit: 100 })
  await client.transfers.list({ chain: undefined as never })
  const [first, second, third] = server.requests.map(({ target }) => target)
  const { searchParams } = new URL(first?.replace('GET ', 'http://x') ?? '')
  expect([...searchParams]).toEqual([
    ['chain', 'base'],
    ['metadata[order_id]', 'A&1=ü'],
    ['metadata[a]b]', ' '],
  ])
  expect(second).toBe('GET /v1/transfers?matched=false&limit=100')
  expect(third).toBe('GET /v1/transfers')
})

test('a failure on a later page fails the iteration there, once', async () => {
  const server = await serve(page(all.slice(0, 2), true), json(400, { error: 'invalid_body' }))
  const list = createClient({ apiKey, baseUrl: server.url }).paymentIntents.list()
  const ids: string[] = []
  const iterate = async () => {
    for await (const { id } of list) ids.push(id)
  }
  await expect(iterate()).rejects.toMatchObject({ code: 'invalid_body', status: 400 })
  expect(ids).toHaveLength(2)
  expect(server.requests).toHaveLength(2)
})

test('a failure on the first page rejects the promise and the iteration', async () => {
  const server = await serve(page([{ ...transfer, to: 7 }], false))
  const list = createClient({ apiKey, baseUrl: server.url }).transfers.list()
  await expect(list).rejects.toMatchObject({ code: 'invalid_response' })
  const iterate = async () => {
    for await (const item of list) expect.unreachable(JSON.stringify(item))
  }
  await expect(iterate()).rejects.toMatchObject({
    code: 'invalid_response',
    issues: [expect.objectContaining({ path: 'data.0.to' })],
  })
  expect(server.requests).toHaveLength(1)
})

test.each<[unknown, string]>([
  [{ limit: 0 }, 'limit'],
  [{ limit: 101 }, 'limit'],
  [{ limit: '10' }, 'limit'],
  [{ status: 'paid' }, 'status'],
  [{ starting_after: 'tr_1' }, 'starting_after'],
  [{ metadata: { a: 1 } }, 'metadata.a'],
  [{ order: 'asc' }, ''],
])('wrong parameters are invalid_body, and nothing is sent: %j', async (params, path) => {
  const client = createClient({ apiKey, baseUrl: 'http://127.0.0.1:1' })
  const call = client.paymentIntents.list(params as never)
  const issues = [expect.objectContaining({ path })]
  await expect(call).rejects.toMatchObject({ code: 'invalid_body', attempts: 0, issues })
})

test('nothing of the query is logged', async () => {
  const server = await serve(page([], false))
  const logged: unknown[] = []
  const logger = { debug: (...entry: unknown[]) => logged.push(entry) }
  const client = createClient({ apiKey, baseUrl: server.url, logger })
  await client.paymentIntents.list({ metadata: { email: 'payer@example.com' } })
  expect(JSON.stringify(logged)).toContain('/v1/payment_intents')
  expect(JSON.stringify(logged)).not.toContain('payer')
})

describe('autoPagingToArray', () => {
  test('collects all items, over pages', async () => {
    const server = await serve(
      page(all.slice(0, 2), true),
      page(all.slice(2, 4), true),
      page(all.slice(4), false),
    )
    const list = createClient({ apiKey, baseUrl: server.url }).paymentIntents.list({ limit: 2 })
    expect(await list.autoPagingToArray({ limit: 10_000 })).toEqual(all)
    expect(server.requests).toHaveLength(3)
  })

  test.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 2],
  ])('collects %i at most, and requests no page that it does not need', async (limit, requests) => {
    const server = await serve(
      page(all.slice(0, 2), true),
      page(all.slice(2, 4), true),
      page(all.slice(4), false),
    )
    const list = createClient({ apiKey, baseUrl: server.url }).paymentIntents.list()
    expect(await list.autoPagingToArray({ limit })).toEqual(all.slice(0, limit))
    expect(server.requests).toHaveLength(requests)
  })

  test.each<[string, unknown, string, string]>([
    ['no options', undefined, '', 'Pass options as an object, such as { limit: … }'],
    ['null', null, '', 'received null'],
    ['no limit', {}, 'limit', 'an integer from 1 to 10000'],
    ['zero', { limit: 0 }, 'limit', 'an integer from 1 to 10000'],
    ['a fraction', { limit: 1.5 }, 'limit', 'an integer from 1 to 10000'],
    ['text', { limit: '5' }, 'limit', 'an integer from 1 to 10000'],
    ['all', { limit: Number.POSITIVE_INFINITY }, 'limit', 'For more items, iterate the list.'],
    ['too many', { limit: 10_001 }, 'limit', 'For more items, iterate the list.'],
    ['another name', { limits: 5 }, 'limits', 'Did you mean `limit`?'],
    [
      'a getter that throws',
      {
        get limit(): number {
          throw new Error('No.')
        },
      },
      '',
      'cannot be read',
    ],
  ])('of %s is invalid_body, and the first page may fail unseen', async (...testCase) => {
    const [, options, path, message] = testCase
    const server = await serve(json(401, { error: 'api_key_invalid' }))
    const list = createClient({ apiKey, baseUrl: server.url }).paymentIntents.list()
    await expect(list.autoPagingToArray(options as never)).rejects.toMatchObject({
      ...{ code: 'invalid_body', attempts: 0, message: expect.stringContaining(message) },
      issues: path === '' ? expect.any(Array) : [expect.objectContaining({ path })],
    })
    await until(() => server.requests.length === 1)
  })

  test('fails as a page does', async () => {
    const server = await serve(page(all.slice(0, 2), true), json(400, { error: 'invalid_body' }))
    const list = createClient({ apiKey, baseUrl: server.url }).paymentIntents.list()
    await expect(list.autoPagingToArray({ limit: 5 })).rejects.toMatchObject({ status: 400 })
  })
})
