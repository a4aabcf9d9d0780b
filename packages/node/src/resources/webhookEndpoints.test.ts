import { beforeEach, describe, expect, test, vi } from 'vitest'
import { holdTimers } from '../../../../tests/support/holdTimers.ts'
import { apiKey, json, type Reply, serve, text } from '../../test/stubServer.ts'
import { type Client, createClient } from '../createClient.ts'

const endpoint = {
  id: 'we_01',
  url: 'https://shop.example/webhooks',
  description: '',
  enabled_events: null,
  mode: 'testnet',
  status: 'enabled',
  disabled_reason: null,
  failing_since: null,
  created_at: '2029-12-31T23:30:00.000Z',
}
const withSecret = { ...endpoint, secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }
const queued = { deliveries: 2 }
const deletedEndpoint = { id: 'we_01', deleted: true }
const url = endpoint.url
const since = '2029-12-31T00:00:00Z'

function delivery(number: number) {
  return {
    event: `evt_${String(number).padStart(30, '0')}`,
    event_type: 'payment_intent.created',
    status: 'pending',
    attempts: 1,
    last_attempt_at: '2029-12-31T23:30:00.000Z',
    next_attempt_at: '2029-12-31T23:30:05.000Z',
    response_status: null,
    error: 'The connection was refused.',
  }
}

type Call = [name: string, call: (client: Client) => Promise<unknown>, response: object]

/** Calls that must not be sent twice. */
const once: Call[] = [
  ['create', (c) => c.webhookEndpoints.create({ url }), withSecret],
  ['rotateSecret', (c) => c.webhookEndpoints.rotateSecret('we_01'), withSecret],
]
const repeatable: Call[] = [
  ['retrieve', (c) => c.webhookEndpoints.retrieve('we_01'), endpoint],
  ['update', (c) => c.webhookEndpoints.update('we_01', { status: 'enabled' }), endpoint],
  ['delete', (c) => c.webhookEndpoints.delete('we_01'), deletedEndpoint],
  ['recover', (c) => c.webhookEndpoints.recover('we_01', { since }), queued],
  ['events.redeliver', (c) => c.events.redeliver('evt_01'), queued],
]
const requests: Record<string, [target: string, body: string]> = {
  create: ['POST /v1/webhook_endpoints', `{"url":"${url}"}`],
  rotateSecret: ['POST /v1/webhook_endpoints/we_01/rotate_secret', ''],
  retrieve: ['GET /v1/webhook_endpoints/we_01', ''],
  update: ['PATCH /v1/webhook_endpoints/we_01', '{"status":"enabled"}'],
  delete: ['DELETE /v1/webhook_endpoints/we_01', ''],
  recover: ['POST /v1/webhook_endpoints/we_01/recover', `{"since":"${since}"}`],
  'events.redeliver': ['POST /v1/events/evt_01/redeliver', ''],
}

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No wait between attempts.
})

test.each([...once, ...repeatable])(
  '%s requests its path, without an idempotency key, and returns the response',
  async (name, call, responseBody) => {
    const server = await serve(json(200, { ...responseBody, added: { later: 1 } }))
    const result = await call(createClient({ apiKey, baseUrl: server.url }))
    expect(result).toEqual({ ...responseBody, added: { later: 1 } })
    const [request] = server.requests
    expect([request?.target, request?.body]).toEqual(requests[name])
    expect(request?.headers.authorization).toBe(`Bearer ${apiKey}`)
    expect(request?.headers['idempotency-key']).toBeUndefined()
  },
)

/** Timeouts that `holdTimers` holds. */
const longPoll = { timeout: 3_600_000, deadline: 36_000_000 }
const stall: Reply = () => {}
const internalError = json(500, { error: 'internal_error', message: 'Oops.' })
const resetBody: Reply = (response) => {
  response.writeHead(200, { 'content-length': '500' })
  response.write('{"id":', () => response.destroy())
}

describe('when the call may have taken effect', () => {
  test.each(
    once.flatMap(([name, call]) =>
      (
        [
          ['500', internalError, 'internal_error'],
          ['HTML 502', text(502, '<html>Bad gateway</html>'), 'unexpected_status'],
          ['503 with Retry-After', text(503, '', { 'retry-after': '0' }), 'unexpected_status'],
          ['reset', (response) => response.destroy(), 'network_error'],
          ['reset in the body', resetBody, 'network_error'],
          ['stall', stall, 'timeout'],
          ['response without a secret', json(200, endpoint), 'invalid_response'],
        ] satisfies [string, Reply, string][]
      ).map(([fault, reply, code]) => ({ name, call, fault, reply, code })),
    ),
  )('$name is not sent again after a $fault', async ({ call, reply, code }) => {
    const clock = holdTimers()
    const server = await serve((response) => {
      reply(response)
      if (reply === stall) clock.runOut()
    })
    const client = createClient({ apiKey, baseUrl: server.url, ...longPoll })
    await expect(call(client)).rejects.toMatchObject({
      ...{ code, attempts: 1, retryable: false, idempotencyKey: undefined },
      message: expect.stringContaining('it may have taken effect, so look before you repeat it'),
    })
    expect(server.requests).toHaveLength(1)
  })

  test.each(once)(
    '%s is retried after a refusal, since that has no effect',
    async (_name, call, responseBody) => {
      const server = await serve(
        json(429, { error: 'rate_limited' }, { 'retry-after': '0' }),
        json(409, { error: 'conflict' }, { 'x-should-retry': 'true' }),
        json(200, responseBody),
      )
      expect(await call(createClient({ apiKey, baseUrl: server.url }))).toEqual(responseBody)
      expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
        ...[undefined, undefined, undefined],
      ])
    },
  )

  test.each(repeatable)(
    '%s is retried after any failure, since a repetition has no effect',
    async (...testCase) => {
      const [name, call, responseBody] = testCase
      const server = await serve(
        internalError,
        (response) => response.destroy(),
        json(200, responseBody),
      )
      expect(await call(createClient({ apiKey, baseUrl: server.url }))).toEqual(responseBody)
      const sent = server.requests.map(({ target, body }) => [target, body])
      expect(sent).toEqual([requests[name], requests[name], requests[name]])
    },
  )

  test('the error of a repeatable call says so', async () => {
    const clock = holdTimers()
    const server = await serve(() => clock.runOut(), internalError)
    const client = createClient({ apiKey, baseUrl: server.url, ...longPoll, maxRetries: 0 })
    for (const code of ['timeout', 'internal_error']) {
      const update = client.webhookEndpoints.update('we_01', { status: 'disabled' })
      await expect(update).rejects.toMatchObject({
        ...{ code, retryable: true },
        message: expect.stringMatching(/; repeating it is safe\./),
      })
    }
  })
})

describe('delete', () => {
  test('succeeds if an earlier attempt did but its response was lost', async () => {
    const notFoundReply = json(404, { error: 'not_found' })
    const server = await serve((response) => response.destroy(), notFoundReply)
    const { webhookEndpoints } = createClient({ apiKey, baseUrl: server.url })
    expect(await webhookEndpoints.delete('we_01')).toEqual(deletedEndpoint)
  })

  test('of an unknown endpoint is not_found, and fails as any call does', async () => {
    const server = await serve(
      json(404, { error: 'not_found' }),
      internalError,
      json(401, { error: 'api_key_invalid' }),
    )
    const { webhookEndpoints } = createClient({ apiKey, baseUrl: server.url })
    const codes = { code: 'not_found', attempts: 1 }
    await expect(webhookEndpoints.delete('we_02')).rejects.toMatchObject(codes)
    const later = { code: 'api_key_invalid', attempts: 2 }
    await expect(webhookEndpoints.delete('we_01')).rejects.toMatchObject(later)
  })
})

describe('lists', () => {
  test('the endpoints are one page', async () => {
    const all = [endpoint, { ...endpoint, id: 'we_02' }]
    const server = await serve(json(200, { data: all, has_more: false }))
    const list = createClient({ apiKey, baseUrl: server.url }).webhookEndpoints.list()
    expect(await list).toEqual({ data: all, has_more: false })
    const pages: string[] = []
    for await (const { id } of list) pages.push(id)
    expect(pages).toEqual(['we_01', 'we_02'])
    expect(server.requests.map(({ target }) => target)).toEqual(['GET /v1/webhook_endpoints'])
  })

  test('a page of deliveries begins after the event of the last one', async () => {
    const all = [3, 2, 1].map(delivery)
    const server = await serve(
      json(200, { data: all.slice(0, 2), has_more: true }),
      json(200, { data: all.slice(2), has_more: false }),
    )
    const { webhookEndpoints } = createClient({ apiKey, baseUrl: server.url })
    const pages: unknown[] = []
    for await (const item of webhookEndpoints.listDeliveries('we_01', { limit: 2 }))
      pages.push(item)
    expect(pages).toEqual(all)
    const path = '/v1/webhook_endpoints/we_01/deliveries'
    expect(server.requests.map(({ target }) => target)).toEqual([
      `GET ${path}?limit=2`,
      `GET ${path}?limit=2&starting_after=${all[1]?.event}`,
    ])
  })
})

describe('nothing is sent', () => {
  const { events, webhookEndpoints } = createClient({ apiKey, baseUrl: 'http://127.0.0.1:1' })

  test.each(['', '..', 'we_1/deliveries', 'we 1', undefined as never])('to %j', async (id) => {
    for (const call of [
      webhookEndpoints.retrieve(id),
      webhookEndpoints.update(id, {}),
      webhookEndpoints.delete(id),
      webhookEndpoints.rotateSecret(id),
      webhookEndpoints.recover(id, { since }),
      webhookEndpoints.listDeliveries(id),
      events.redeliver(id),
    ]) {
      const issues = [{ path: 'id', message: expect.any(String) }]
      await expect(call).rejects.toMatchObject({ code: 'invalid_body', attempts: 0, issues })
    }
  })

  test.each<[string, () => Promise<unknown>]>([
    ['url', () => webhookEndpoints.create({ url: 'shop' })],
    ['url', () => webhookEndpoints.create(undefined as never)],
    ['url', () => webhookEndpoints.create({ url: 'ftp://shop.example' })],
    ['enabled_events', () => webhookEndpoints.create({ url, enabled_events: [] })],
    ['enabled_events.0', () => webhookEndpoints.create({ url, enabled_events: ['x' as never] })],
    ['status', () => webhookEndpoints.update('we_01', { status: 'gone' as never })],
    ['overlap_hours', () => webhookEndpoints.rotateSecret('we_01', { overlap_hours: 169 })],
    ['since', () => webhookEndpoints.recover('we_01', { since: 'yesterday' })],
    ['limit', () => webhookEndpoints.listDeliveries('we_01', { limit: 101 })],
    ['webhook_endpoint', () => events.redeliver('evt_01', { webhook_endpoint: 'we 1' })],
  ])('of a wrong %s', async (path, call) => {
    await expect(call()).rejects.toMatchObject({
      ...{ code: 'invalid_body', attempts: 0 },
      issues: [expect.objectContaining({ path: expect.stringMatching(`^(${path})?$`) })],
    })
  })
})

test('the methods can be taken off their objects', async () => {
  const server = await serve(json(200, endpoint))
  const { retrieve } = createClient({ apiKey, baseUrl: server.url }).webhookEndpoints
  expect(await retrieve('we_01')).toEqual(endpoint)
})
