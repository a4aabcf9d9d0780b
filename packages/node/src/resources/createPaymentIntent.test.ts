import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { apiKey, intent } from '../../test/stubServer.ts'
import { createClient } from '../createClient.ts'
import type { CreatePaymentIntent } from '../index.ts'
import type { ClientOptions } from '../options/clientOptions.ts'

const baseUrl = 'https://pay.example.com/api'
const endpoint = `${baseUrl}/v1/payment_intents`
const client = createClient({ apiKey, baseUrl })
const service = setupServer()
let requests: Request[] = []

beforeAll(() => service.listen({ onUnhandledFrame: 'error' }))
afterEach(() => {
  service.resetHandlers()
  requests = []
})
afterAll(() => service.close())

function responding(body: string) {
  service.use(
    http.post(endpoint, ({ request }) => {
      requests.push(request.clone())
      return new HttpResponse(body, { headers: { 'content-type': 'application/json' } })
    }),
  )
}

describe('createPaymentIntent', () => {
  test('posts the parameters as they are, with the key', async () => {
    responding(JSON.stringify(intent))
    const params: CreatePaymentIntent = {
      amount_units: 25_000_000,
      chain: 'polygon',
      wallet_address: '0x1111111111111111111111111111111111111111',
      expires_in_minutes: 0,
      lane: 'manual',
      metadata: { order_id: 'A-1', deep: { ü: [1, null] } },
      token: 'USDC',
    }
    await client.createPaymentIntent(params)
    expect(await requests[0]?.json()).toEqual(params)
    expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${apiKey}`)
    expect(requests[0]?.headers.get('content-type')).toBe('application/json')
  })

  test('keeps unknown fields, statuses and keys', async () => {
    const text = JSON.stringify({ ...intent, status: 'dreaming', added: { later: [1] } }).replace(
      '"metadata":{}',
      '"metadata":{"__proto__":{"order_id":"7"},"constructor":1}',
    )
    responding(text)
    expect(JSON.stringify(await client.createPaymentIntent({ amount_units: 1 }))).toBe(text)
  })

  test('sends metadata keys that are special to JavaScript', async () => {
    responding(JSON.stringify(intent))
    const body = '{"amount_units":1,"metadata":{"__proto__":{"a":1},"constructor":2}}'
    await client.createPaymentIntent(JSON.parse(body))
    expect(await requests[0]?.text()).toBe(body)
  })

  test.each([
    ['in another case', { 'x-TRACE': 'call' }],
    ['of Headers', new Headers({ 'X-Trace': 'call' })],
  ])('sends the headers of a call, %s, rather than the client’s', async (_, headers) => {
    responding(JSON.stringify(intent))
    const traced = createClient({ apiKey, baseUrl, headers: { 'X-Trace': 'client' } })
    await traced.createPaymentIntent({ amount_units: 1 }, { headers })
    expect(requests[0]?.headers.get('x-trace')).toBe('call')
  })

  test('merges headers, and keeps its own', async () => {
    responding(JSON.stringify(intent))
    const withHeaders = createClient({ apiKey, baseUrl, headers: { 'x-a': '1', 'x-b': '1' } })
    const headers = { 'x-b': '2', authorization: 'Bearer other', 'Idempotency-Key': 'other' }
    await withHeaders.createPaymentIntent({ amount_units: 1 }, { headers, idempotencyKey: 'mine' })
    const sent = requests[0]?.headers
    expect([sent?.get('x-a'), sent?.get('x-b')]).toEqual(['1', '2'])
    expect(sent?.get('authorization')).toBe(`Bearer ${apiKey}`)
    expect(sent?.get('idempotency-key')).toBe('mine')
  })

  test('can be taken off the client', async () => {
    responding(JSON.stringify(intent))
    const { createPaymentIntent } = createClient({ apiKey, baseUrl: `${baseUrl}/` })
    expect(await createPaymentIntent({ amount_units: 1 })).toEqual(intent)
  })
})

const cycle: Record<string, unknown> = {}
cycle.self = cycle

describe('wrong parameters are invalid_body, and nothing is sent', () => {
  test.each<[string, unknown, string]>([
    ['nothing', undefined, ''],
    ['no amount', {}, 'amount_units'],
    ['zero', { amount_units: 0 }, 'amount_units'],
    ['a fraction', { amount_units: 0.5 }, 'amount_units'],
    ['NaN', { amount_units: Number.NaN }, 'amount_units'],
    ['a string', { amount_units: '25' }, 'amount_units'],
    ['a bigint', { amount_units: 25n }, 'amount_units'],
    ['an unsafe integer', { amount_units: 2 ** 53 }, 'amount_units'],
    ['another chain', { amount_units: 1, chain: 'ethereum' }, 'chain'],
    ['a short address', { amount_units: 1, wallet_address: '0x1' }, 'wallet_address'],
    ['half a minute', { amount_units: 1, expires_in_minutes: 5.5 }, 'expires_in_minutes'],
    ['metadata that is a list', { amount_units: 1, metadata: [] }, 'metadata'],
    ['metadata with a bigint', { amount_units: 1, metadata: { n: 1n } }, 'metadata.n'],
    ['metadata with a cycle', { amount_units: 1, metadata: cycle }, 'metadata.self'],
    ['a property too many', { amount_units: 1, mode: 'mainnet' }, ''],
  ])('%s', async (_name, params, path) => {
    const call = client.createPaymentIntent(params as CreatePaymentIntent)
    await expect(call).rejects.toMatchObject({
      code: 'invalid_body',
      attempts: 0,
      status: undefined,
      retryable: false,
      issues: [expect.objectContaining({ path })],
    })
  })

  test('and the error describes missing or malformed parameters', async () => {
    await expect((client.createPaymentIntent as () => Promise<unknown>)()).rejects.toThrow(
      'Nothing was sent: the parameters are missing.',
    )
    await expect(client.createPaymentIntent('25' as never)).rejects.toThrow(
      'Nothing was sent: the parameters must be an object, not a string.',
    )
  })

  test('and the error names each requirement', async () => {
    const call = client.createPaymentIntent({ amount_units: '25', lane: 'card' } as never)
    await expect(call).rejects.toThrow(
      'Nothing was sent: amount_units: must be an integer in units of 0.000001 USDC, not a string; lane: must be one of sdk, manual.',
    )
  })

  test.each([
    ['timeout', { timeout: 0 }],
    ['timeout', { timeout: 2 ** 31 }],
    ['deadline', { deadline: Number.NaN }],
    ['maxRetries', { maxRetries: -1 }],
    ['signal', { signal: {} as AbortSignal }],
    ['headers', { headers: { 'a b': 'c' } }],
    ['headers', { headers: 5 as never }],
    ['fetch', { fetch: 'curl' as never }],
    ['idempotencyKey', { idempotencyKey: '' }],
    ['idempotencyKey', { idempotencyKey: 'k'.repeat(256) }],
    ['idempotencyKey', { idempotencyKey: 'é' }],
    ['idempotencyKey', { idempotencyKey: ' order-1' }],
    ['idempotencyKey', { idempotencyKey: 'order-1 ' }],
    ['idempotencyKey', { idempotencyKey: ' ' }],
  ])('a wrong %s: %o', async (path, options) => {
    const call = client.createPaymentIntent({ amount_units: 1 }, options)
    await expect(call).rejects.toMatchObject({
      code: 'invalid_body',
      attempts: 0,
      issues: [{ path, message: expect.any(String) }],
    })
  })
})

describe('the stored response of an earlier call', () => {
  function replay(status: string) {
    const headers = { 'idempotent-replayed': 'true', 'payment-intent-status': status }
    service.use(http.post(endpoint, () => HttpResponse.json(intent, { headers })))
    return client.createPaymentIntent({ amount_units: 1 })
  }

  test.each(['expired', 'canceled', 'succeeded'])('says that its intent is %s', async (status) => {
    expect(await replay(status)).toEqual({ ...intent, ended_as: status })
  })

  test.each(['', apiKey, 'Expired', 'expired, expired'])('does not repeat %j', async (status) => {
    expect(await replay(status)).toEqual(intent)
  })
})

describe('a service that hangs', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    service.use(http.post(endpoint, () => new Promise<never>(() => {})))
  })
  afterEach(() => void vi.useRealTimers())

  /** Milliseconds until the call fails, and its attempts. */
  async function failure(options: ClientOptions = {}) {
    const startedAt = performance.now()
    const hanging = createClient({ apiKey, baseUrl, ...options })
    const ended = hanging.createPaymentIntent({ amount_units: 1 }).catch((error) => error)
    await vi.runAllTimersAsync()
    const { code, attempts } = await ended
    return { code, attempts, after: performance.now() - startedAt }
  }

  test('holds the buyer for ten seconds and three attempts', async () => {
    const { after, ...error } = await failure()
    expect(error).toEqual({ code: 'timeout', attempts: 3 })
    expect(after).toBeGreaterThan(8_000)
    expect(after).toBeLessThanOrEqual(10_001)
  })

  test('is waited for as long as the options say', async () => {
    expect((await failure({ timeout: 20_000 })).after).toBeGreaterThan(60_000)
    expect((await failure({ deadline: 25_000 })).after).toBeGreaterThan(20_000)
  })
})
