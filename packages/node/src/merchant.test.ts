import { beforeEach, describe, expect, test, vi } from 'vitest'
import { holdTimers } from '../../../tests/support/holdTimers.ts'
import { apiKey, intent, json, type Reply, serve, text } from '../test/testServer.ts'
import type { Client } from './createClient.ts'
import { createClient } from './createClient.ts'

const { client_secret, expires_in_minutes, ...shared } = intent
const retrieved = {
  ...shared,
  payment_reference: `0x${'ab'.repeat(32)}`,
  created_at: '2029-12-31T23:30:00.000Z',
  payable_amount_units: 25_000_000,
  version: 1,
  amount_received_units: 0,
  confirmations: 0,
  tx_hash: null,
  exceptions: [],
}
const event = {
  id: 'evt_01',
  type: 'payment_intent.created',
  created_at: '2029-12-31T23:30:00.000Z',
  mode: 'testnet',
  sequence: 1,
  data: { object: retrieved },
}
const transfer = {
  id: 'tr_01',
  chain: 'base',
  chain_id: 84532,
  tx_hash: `0x${'cd'.repeat(32)}`,
  log_index: 0,
  block_number: 17,
  block_timestamp: '2029-12-31T23:30:00.000Z',
  from: intent.expected_wallet,
  to: intent.expected_wallet,
  amount_units: 1,
  token_address: intent.token_address,
  payment_intent: null,
  bound_by: null,
  reason: 'no_intent',
  orphaned: false,
  created_at: '2029-12-31T23:30:00.000Z',
}

const receipt = {
  payment_intent: 'pi_01',
  merchant_name: 'Kiosk',
  chain: 'base',
  chain_id: 84532,
  token_address: intent.token_address,
  expected_wallet: intent.expected_wallet,
  amount_units: 1,
  expires_at: '2030-01-01T00:00:00.000Z',
  salt: `0x${'ab'.repeat(32)}`,
  payment_reference: `0x${'cd'.repeat(32)}`,
  transfers: [{ ...transfer, bound_by: 'reference' }],
}

function id(prefix: 'pi' | 'evt' | 'tr', number: number): string {
  return `${prefix}_${String(number).padStart(30, '0')}`
}

function page(items: readonly unknown[], hasMore: boolean): Reply {
  return json(200, { data: items, has_more: hasMore })
}

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No wait between attempts.
})

describe('one object', () => {
  test.each<[string, (client: Client) => Promise<unknown>, string, unknown]>([
    ['retrievePaymentIntent', (c) => c.retrievePaymentIntent('pi_01'), '/pi_01', retrieved],
    ['retrieveReceipt', (c) => c.retrieveReceipt('pi_01'), '/pi_01/receipt', receipt],
    ['cancelPaymentIntent', (c) => c.cancelPaymentIntent('pi_01'), '/pi_01/cancel', retrieved],
    ['acceptPaymentIntent', (c) => c.acceptPaymentIntent('pi_01'), '/pi_01/accept', retrieved],
    ['events.retrieve', (c) => c.events.retrieve('evt_01'), '/v1/events/evt_01', event],
    [
      'assignTransfer',
      (c) => c.assignTransfer('tr_01', { payment_intent: 'pi_01' }),
      '/v1/transfers/tr_01/assign',
      retrieved,
    ],
  ])('%s requests its path and returns the answer', async (name, call, path, answer) => {
    const server = await serve(json(200, { ...(answer as object), added: { later: 1 } }))
    const result = await call(createClient({ apiKey, baseUrl: server.url }))
    expect(result).toEqual({ ...(answer as object), added: { later: 1 } })
    const method = name.includes('retrieve') ? 'GET' : 'POST'
    const full = path.startsWith('/v1') ? path : `/v1/payment_intents${path}`
    const [request] = server.requests
    expect(request?.target).toBe(`${method} ${full}`)
    expect(request?.headers.authorization).toBe(`Bearer ${apiKey}`)
    expect(request?.body).toBe(name === 'assignTransfer' ? '{"payment_intent":"pi_01"}' : '')
  })

  test('times are ISO 8601 with any offset', async () => {
    const expires_at = '2030-01-01T02:00:00.123456+02:00'
    const created_at = '2030-01-01T00:00:00-00:30'
    const paid = { ...retrieved, expires_at, created_at }
    const server = await serve(
      json(200, { ...intent, expires_at, created_at }),
      json(200, { ...event, created_at, data: { object: paid } }),
      page([{ ...transfer, created_at, block_timestamp: created_at }], false),
    )
    const client = createClient({ apiKey, baseUrl: server.url })
    expect(await client.createPaymentIntent({ amount_units: 1 })).toMatchObject({ expires_at })
    expect(await client.events.retrieve('evt_01')).toMatchObject({ created_at })
    expect((await client.listTransfers()).data).toMatchObject([{ created_at }])
  })

  test('enum values that a later server adds are kept', async () => {
    const server = await serve(
      json(200, { ...retrieved, status: 'dreaming', exceptions: ['odd'] }),
      json(200, { ...event, type: 'payment_intent.dreamt' }),
    )
    const client = createClient({ apiKey, baseUrl: server.url })
    expect(await client.retrievePaymentIntent('pi_01')).toMatchObject({ status: 'dreaming' })
    expect(await client.events.retrieve('evt_01')).toMatchObject({ type: 'payment_intent.dreamt' })
  })

  test('a change carries one idempotency key on every attempt, a read none', async () => {
    const server = await serve(
      text(503, ''),
      json(200, retrieved),
      text(503, ''),
      json(200, retrieved),
    )
    const client = createClient({ apiKey, baseUrl: server.url })
    await client.cancelPaymentIntent('pi_01', { idempotencyKey: 'mine' })
    await client.retrievePaymentIntent('pi_01')
    const keys = server.requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual(['mine', 'mine', undefined, undefined])
  })

  test('an error of a read advises to repeat it, with no key', async () => {
    const clock = holdTimers()
    const server = await serve(() => clock.runOut())
    const client = createClient({ apiKey, baseUrl: server.url, timeout: 3_600_000, maxRetries: 0 })
    const read = client.retrievePaymentIntent('pi_01')
    await expect(read).rejects.toMatchObject({
      code: 'timeout',
      idempotencyKey: undefined,
      message: expect.stringMatching(/; repeating it is safe\./),
    })
    const change = client.cancelPaymentIntent('pi_01', { idempotencyKey: 'mine' })
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
    await expect(client.retrievePaymentIntent('pi_02')).rejects.toMatchObject({
      ...{ code: 'not_found', status: 404, retryable: false, attempts: 1 },
      message: expect.stringContaining('merchant and mode'),
    })
    await expect(client.cancelPaymentIntent('pi_02')).rejects.toMatchObject({
      ...{ code: 'conflict', reason: 'illegal_state', retryable: false, attempts: 1 },
    })
  })

  test.each(['', '..', '.', 'pi_1/cancel', 'pi_1?x', 'pi 1', undefined as never])(
    'an id of %j is invalid_body, and nothing is sent',
    async (wrong) => {
      const client = createClient({ apiKey, baseUrl: 'http://127.0.0.1:1' })
      for (const call of [
        client.retrievePaymentIntent(wrong),
        client.cancelPaymentIntent(wrong),
        client.acceptPaymentIntent(wrong),
        client.events.retrieve(wrong),
        client.assignTransfer(wrong, { payment_intent: 'pi_1' }),
      ]) {
        const issues = [{ path: 'id', message: expect.any(String) }]
        await expect(call).rejects.toMatchObject({ code: 'invalid_body', attempts: 0, issues })
      }
    },
  )

  test('a wrong assignment is invalid_body, and nothing is sent', async () => {
    const client = createClient({ apiKey, baseUrl: 'http://127.0.0.1:1' })
    const call = client.assignTransfer('tr_01', {} as never)
    const issues = [{ path: 'payment_intent', message: expect.any(String) }]
    await expect(call).rejects.toMatchObject({ code: 'invalid_body', attempts: 0, issues })
  })
})

describe('a list', () => {
  const all = [5, 4, 3, 2, 1].map((number) => ({ ...retrieved, id: id('pi', number) }))

  test('awaited is its first page, and asks for no other', async () => {
    const server = await serve(page(all.slice(0, 2), true))
    const client = createClient({ apiKey, baseUrl: server.url })
    const first = await client.listPaymentIntents({ limit: 2 })
    expect(first).toEqual({ data: all.slice(0, 2), has_more: true })
    expect(server.requests.map(({ target }) => target)).toEqual(['GET /v1/payment_intents?limit=2'])
  })

  test('iterated is all of it, each page asked for when it is needed', async () => {
    const server = await serve(
      page(all.slice(0, 2), true),
      page(all.slice(2, 4), true),
      page(all.slice(4), false),
    )
    const client = createClient({ apiKey, baseUrl: server.url })
    const seen: string[] = []
    const asked: number[] = []
    for await (const { id } of client.listPaymentIntents({ limit: 2, status: 'succeeded' })) {
      seen.push(id)
      asked.push(server.requests.length)
    }
    expect(seen).toEqual(all.map(({ id }) => id))
    expect(asked).toEqual([1, 1, 2, 2, 3])
    const query = '/v1/payment_intents?limit=2&status=succeeded'
    expect(server.requests.map(({ target }) => target)).toEqual([
      `GET ${query}`,
      `GET ${query}&starting_after=${id('pi', 4)}`,
      `GET ${query}&starting_after=${id('pi', 2)}`,
    ])
  })

  test('left early requests no more pages; iterated again it begins again', async () => {
    const server = await serve(page(all.slice(0, 2), true), page(all.slice(2), false))
    const list = createClient({ apiKey, baseUrl: server.url }).listPaymentIntents()
    for await (const { id } of list) if (id === all[1]?.id) break
    expect(server.requests).toHaveLength(1)
    expect((await list).data).toHaveLength(2)
    const seen: string[] = []
    for await (const { id } of list) seen.push(id)
    expect(seen).toEqual(all.map(({ id }) => id))
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
    const seen: string[] = []
    for await (const { id } of createClient({ apiKey, baseUrl: server.url }).events.list()) {
      seen.push(id)
    }
    expect(seen).toEqual(events.map(({ id }) => id))
    expect(server.requests[1]?.target).toBe('GET /v1/events?starting_after=evt_2-AB')
  })

  test('ends if a server says that an empty page has more', async () => {
    const server = await serve(page([], true))
    const seen: unknown[] = []
    for await (const item of createClient({ apiKey, baseUrl: server.url }).listTransfers()) {
      seen.push(item)
    }
    expect(seen).toEqual([])
    expect(server.requests).toHaveLength(1)
  })

  test('sends filters as the service reads them', async () => {
    const server = await serve(page([], false))
    const client = createClient({ apiKey, baseUrl: server.url })
    const metadata = { order_id: 'A&1=ü', 'a]b': ' ' }
    await client.listPaymentIntents({ chain: 'base', metadata })
    await client.listTransfers({ matched: false, limit: 100 })
    await client.listTransfers({ chain: undefined as never })
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
    const list = createClient({ apiKey, baseUrl: server.url }).listPaymentIntents()
    const seen: string[] = []
    const iterate = async () => {
      for await (const { id } of list) seen.push(id)
    }
    await expect(iterate()).rejects.toMatchObject({ code: 'invalid_body', status: 400 })
    expect(seen).toHaveLength(2)
    expect(server.requests).toHaveLength(2)
  })

  test('a failure on the first page rejects the promise and the iteration', async () => {
    const server = await serve(page([{ ...transfer, to: 7 }], false))
    const list = createClient({ apiKey, baseUrl: server.url }).listTransfers()
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
    const call = client.listPaymentIntents(params as never)
    const issues = [expect.objectContaining({ path })]
    await expect(call).rejects.toMatchObject({ code: 'invalid_body', attempts: 0, issues })
  })

  test('nothing of the query is logged', async () => {
    const server = await serve(page([], false))
    const logged: unknown[] = []
    const logger = { debug: (...entry: unknown[]) => logged.push(entry) }
    const client = createClient({ apiKey, baseUrl: server.url, logger })
    await client.listPaymentIntents({ metadata: { email: 'payer@example.com' } })
    expect(JSON.stringify(logged)).toContain('/v1/payment_intents')
    expect(JSON.stringify(logged)).not.toContain('payer')
  })
})
