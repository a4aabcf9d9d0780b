import { beforeEach, expect, test, vi } from 'vitest'
import { holdTimers } from '../../../../tests/support/holdTimers.ts'
import { event, listed, page, receipt, retrieved, transfer } from '../../test/responses.ts'
import { apiKey, intent, json, serve, text } from '../../test/stubServer.ts'
import { type Client, createClient } from '../createClient.ts'

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No wait between attempts.
})

test.each<[string, (client: Client) => Promise<unknown>, string, unknown]>([
  ['retrieve', (c) => c.paymentIntents.retrieve('pi_01'), '/pi_01', retrieved],
  ['retrieveReceipt', (c) => c.paymentIntents.retrieveReceipt('pi_01'), '/pi_01/receipt', receipt],
  ['cancel', (c) => c.paymentIntents.cancel('pi_01'), '/pi_01/cancel', listed],
  ['accept', (c) => c.paymentIntents.accept('pi_01'), '/pi_01/accept', listed],
  ['events.retrieve', (c) => c.events.retrieve('evt_01'), '/v1/events/evt_01', event],
  [
    'transfers.assign',
    (c) => c.transfers.assign('tr_01', { payment_intent: 'pi_01' }),
    '/v1/transfers/tr_01/assign',
    listed,
  ],
])('%s requests its path and returns the response', async (name, call, path, response) => {
  const server = await serve(json(200, { ...(response as object), added: { later: 1 } }))
  const result = await call(createClient({ apiKey, baseUrl: server.url }))
  expect(result).toEqual({ ...(response as object), added: { later: 1 } })
  const method = name.includes('retrieve') ? 'GET' : 'POST'
  const full = path.startsWith('/v1') ? path : `/v1/payment_intents${path}`
  const [request] = server.requests
  expect(request?.target).toBe(`${method} ${full}`)
  expect(request?.headers.authorization).toBe(`Bearer ${apiKey}`)
  expect(request?.body).toBe(name === 'transfers.assign' ? '{"payment_intent":"pi_01"}' : '')
})

test('times are ISO 8601 with any offset', async () => {
  const expires_at = '2030-01-01T02:00:00.123456+02:00'
  const created_at = '2030-01-01T00:00:00-00:30'
  const paid = { ...listed, expires_at, created_at }
  const server = await serve(
    json(200, { ...intent, expires_at, created_at }),
    json(200, { ...event, created_at, data: { object: paid } }),
    page([{ ...transfer, created_at, block_timestamp: created_at }], false),
  )
  const client = createClient({ apiKey, baseUrl: server.url })
  expect(await client.createPaymentIntent({ amount_units: 1 })).toMatchObject({ expires_at })
  expect(await client.events.retrieve('evt_01')).toMatchObject({ created_at })
  expect((await client.transfers.list()).data).toMatchObject([{ created_at }])
})

test('enum values that a later server adds are kept', async () => {
  const server = await serve(
    json(200, { ...retrieved, status: 'dreaming', exceptions: ['odd'] }),
    json(200, { ...event, type: 'payment_intent.dreamt' }),
  )
  const client = createClient({ apiKey, baseUrl: server.url })
  expect(await client.paymentIntents.retrieve('pi_01')).toMatchObject({ status: 'dreaming' })
  expect(await client.events.retrieve('evt_01')).toMatchObject({ type: 'payment_intent.dreamt' })
})

const later = { since: retrieved.created_at, cursor: 'at_1', moon: { phase: 1 } }
const fields = { time: retrieved.created_at, phase: 1 }

test.each<[string, object, (client: Client) => Promise<unknown>]>([
  [
    'an event in a list',
    {
      data: [{ ...event, type: 'moon.risen', data: { object: { id: 'moon_1' } } }],
      has_more: false,
    },
    (c) => c.events.list(),
  ],
  [
    'an item that needs attention',
    { data: [{ type: 'moon_full', ...later }], has_more: false },
    (c) => c.attention.list(),
  ],
  [
    'an entry of a timeline',
    { data: [{ type: 'moon_seen', ...fields }], truncated: false },
    (c) => c.paymentIntents.retrieveTimeline('pi_01'),
  ],
  [
    'a network, a mode and a lane',
    { ...retrieved, chain: 'moon', mode: 'moonnet', lane: 'rocket' },
    (c) => c.paymentIntents.retrieve('pi_01'),
  ],
])('%s that a later server adds is kept', async (_, response, read) => {
  const server = await serve(json(200, response))
  expect(await read(createClient({ apiKey, baseUrl: server.url }))).toEqual(response)
})

test('a list continues after an item of a later type', async () => {
  const [first, second] = [
    { type: 'moon_full', ...later },
    { type: 'moon_new', ...later },
  ]
  const server = await serve(page([first], true), page([second], false))
  const client = createClient({ apiKey, baseUrl: server.url })
  expect(await client.attention.list().autoPagingToArray({ limit: 5 })).toEqual([first, second])
  expect(server.requests[1]?.target).toBe('GET /v1/attention?starting_after=at_1')
})

test.each<[string, unknown]>([
  ['no type', { data: [later], has_more: false }],
  ['a type that is no text', { data: [{ ...later, type: 7 }], has_more: false }],
  [
    'a known type without its object',
    { data: [{ ...later, type: 'refund_waiting' }], has_more: false },
  ],
])('an item with %s is not of this service', async (_, response) => {
  const server = await serve(json(200, response))
  const client = createClient({ apiKey, baseUrl: server.url, maxRetries: 0 })
  await expect(client.attention.list()).rejects.toMatchObject({ code: 'invalid_response' })
})

test('a change carries one idempotency key on every attempt, a read none', async () => {
  const server = await serve(
    text(503, ''),
    json(200, retrieved),
    text(503, ''),
    json(200, retrieved),
  )
  const client = createClient({ apiKey, baseUrl: server.url })
  await client.paymentIntents.cancel('pi_01', { idempotencyKey: 'mine' })
  await client.paymentIntents.retrieve('pi_01')
  const keys = server.requests.map(({ headers }) => headers['idempotency-key'])
  expect(keys).toEqual(['mine', 'mine', undefined, undefined])
})

test('an error of a read advises to repeat it, with no key', async () => {
  const clock = holdTimers()
  const server = await serve(() => clock.runOut())
  const client = createClient({ apiKey, baseUrl: server.url, timeout: 3_600_000, maxRetries: 0 })
  const read = client.paymentIntents.retrieve('pi_01')
  await expect(read).rejects.toMatchObject({
    code: 'timeout',
    idempotencyKey: undefined,
    message: expect.stringMatching(/; repeating it is safe\./),
  })
  const change = client.paymentIntents.cancel('pi_01', { idempotencyKey: 'mine' })
  await expect(change).rejects.toMatchObject({
    idempotencyKey: 'mine',
    message: expect.stringContaining(
      "may have taken effect, and repeating it with idempotencyKey 'mine'",
    ),
  })
})

test('a missing object is not_found; an illegal state a conflict', async () => {
  const server = await serve(
    json(404, { error: 'not_found', message: 'There is none.' }),
    json(409, { error: 'conflict', reason: 'illegal_state' }),
  )
  const client = createClient({ apiKey, baseUrl: server.url })
  await expect(client.paymentIntents.retrieve('pi_02')).rejects.toMatchObject({
    ...{ code: 'not_found', status: 404, retryable: false, attempts: 1 },
    message: expect.stringContaining('merchant and mode'),
  })
  await expect(client.paymentIntents.cancel('pi_02')).rejects.toMatchObject({
    ...{ code: 'conflict', reason: 'illegal_state', retryable: false, attempts: 1 },
  })
})

test.each(['', '..', '.', 'pi_1/cancel', 'pi_1?x', 'pi 1', undefined as never])(
  'an id of %j is invalid_body, and nothing is sent',
  async (id) => {
    const client = createClient({ apiKey, baseUrl: 'http://127.0.0.1:1' })
    for (const call of [
      client.paymentIntents.retrieve(id),
      client.paymentIntents.cancel(id),
      client.paymentIntents.accept(id),
      client.events.retrieve(id),
      client.transfers.assign(id, { payment_intent: 'pi_1' }),
    ]) {
      const issues = [{ path: 'id', message: expect.any(String) }]
      await expect(call).rejects.toMatchObject({ code: 'invalid_body', attempts: 0, issues })
    }
  },
)

test('a wrong assignment is invalid_body, and nothing is sent', async () => {
  const client = createClient({ apiKey, baseUrl: 'http://127.0.0.1:1' })
  const call = client.transfers.assign('tr_01', {} as never)
  const issues = [{ path: 'payment_intent', message: expect.any(String) }]
  await expect(call).rejects.toMatchObject({ code: 'invalid_body', attempts: 0, issues })
})
