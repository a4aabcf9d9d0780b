import { beforeEach, describe, expect, test } from 'vitest'
import { apiKey, intent, ok, serve } from '../../test/stubServer.ts'
import { type Client, createClient } from '../createClient.ts'

const params = { amount_units: 1 }
let server: Awaited<ReturnType<typeof serve>>
let client: Client

beforeEach(async () => {
  server = await serve(ok)
  client = createClient({ apiKey, baseUrl: server.url, maxRetries: 0 })
})

const order = { id: undefined as string | undefined }

describe('options that would be ignored are invalid_body, and nothing is sent', () => {
  test.each<[unknown, string]>([
    [{ idempotency_key: 'a' }, 'Unknown option `idempotency_key`. Did you mean `idempotencyKey`?'],
    [{ idempotencykey: 'a' }, 'Unknown option `idempotencykey`. Did you mean `idempotencyKey`?'],
    [{ 'Idempotency-Key': 'a' }, 'Did you mean `idempotencyKey`?'],
    [{ idempotencyKey: 'a', time_out: 5 }, 'Unknown option `time_out`. Did you mean `timeout`?'],
    [{ cache: 'no-store' }, 'Unknown option `cache`. Known are `idempotencyKey`, `timeout`, '],
    ['order-1', 'Pass options as an object, such as { idempotencyKey: … }; received string.'],
    [1042, 'received number.'],
    [null, 'received null.'],
    [['order-1'], 'received Array.'],
    [new AbortController().signal, 'received AbortSignal.'],
    [{ idempotencyKey: order.id }, '`idempotencyKey` is undefined'],
    [{ headers: { 'Idempotency-Key': 'a' } }, 'pass `idempotencyKey`'],
    [{ headers: new Headers({ 'idempotency-key': 'a' }) }, 'pass `idempotencyKey`'],
  ])('%o', async (options, message) => {
    const calls: Promise<unknown>[] = [
      client.createPaymentIntent(params, options as never),
      client.createPaymentIntent(params, options as never),
      client.paymentIntents.cancel('pi_1', options as never),
      client.paymentIntents.accept('pi_1', options as never),
      client.transfers.assign('tr_1', { payment_intent: 'pi_1' }, options as never),
    ]
    for (const { status, reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[]) {
      expect(status).toBe('rejected')
      expect(reason).toMatchObject({ code: 'invalid_body', attempts: 0, issues: [{}] })
      expect(reason.message).toContain(message)
      expect(reason.message).toMatch(/^Nothing was sent/)
    }
    expect(server.requests).toEqual([])
  })

  test('at every other method', async () => {
    const { events, webhookEndpoints, testHelpers } = client
    const misspelt = { max_retries: 1 } as never
    const since = new Date(0).toISOString()
    const calls = [
      client.paymentIntents.retrieve('pi_1', misspelt),
      client.paymentIntents.retrieveReceipt('pi_1', misspelt),
      client.paymentIntents.list({}, misspelt),
      client.paymentIntents.list({}, misspelt)[Symbol.asyncIterator]().next(),
      client.transfers.list(undefined, misspelt),
      events.list({}, misspelt),
      events.retrieve('evt_1', misspelt),
      events.redeliver('evt_1', {}, misspelt),
      webhookEndpoints.create({ url: 'https://shop.example.com' }, misspelt),
      webhookEndpoints.list(misspelt),
      webhookEndpoints.retrieve('we_1', misspelt),
      webhookEndpoints.update('we_1', { description: '' }, misspelt),
      webhookEndpoints.delete('we_1', misspelt),
      webhookEndpoints.rotateSecret('we_1', {}, misspelt),
      webhookEndpoints.recover('we_1', { since }, misspelt),
      webhookEndpoints.listDeliveries('we_1', {}, misspelt),
      testHelpers.pay('pi_1', {}, misspelt),
      testHelpers.underpay('pi_1', {}, misspelt),
      testHelpers.payLate('pi_1', {}, misspelt),
      testHelpers.mine({ blocks: 1 }, misspelt),
      testHelpers.advanceTime({ seconds: 1 }, misspelt),
      testHelpers.reorg({ depth: 1 }, misspelt),
    ]
    const message = 'Nothing was sent. Unknown option `max_retries`. Did you mean `maxRetries`?'
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({ code: 'invalid_body', attempts: 0, message })
    }
    expect(server.requests).toEqual([])
  })

  test('an idempotency key for a call that has none', async () => {
    const key = { idempotencyKey: 'endpoint-1' } as never
    for (const call of [
      client.webhookEndpoints.create({ url: 'https://shop.example.com' }, key),
      client.paymentIntents.retrieve('pi_1', key),
    ]) {
      await expect(call).rejects.toThrow('Unknown option `idempotencyKey`. Known are `timeout`, ')
    }
    expect(server.requests).toEqual([])
  })

  test('of createClient', () => {
    const refused = (options: unknown) => {
      try {
        createClient(options as never)
      } catch (error) {
        return error
      }
      return undefined
    }
    const base_url = { apiKey, base_url: server.url }
    expect(refused(base_url)).toMatchObject({
      ...{ code: 'invalid_body', attempts: 0, issues: [{ path: 'base_url' }] },
      message: 'Nothing was sent. Unknown option `base_url`. Did you mean `baseUrl`?',
    })
    expect(refused({ ...base_url, timeOut: 5 })).toMatchObject({
      issues: [{ path: 'base_url' }, { path: 'timeOut' }],
    })
    expect(refused({ idempotencyKey: 'a' })).toMatchObject({ code: 'invalid_body' })
    for (const other of [apiKey, null, 5, [], new URL(server.url)]) {
      expect(refused(other)).toMatchObject({
        ...{ code: 'invalid_body', issues: [{ path: '' }] },
        message: expect.stringMatching(
          /^Nothing was sent. Pass options as an object, such as \{ apiKey: … \}; received /,
        ),
      })
    }
  })

  test('a key of the client that its headers would hide', async () => {
    const headers = { 'Idempotency-Key': 'a' }
    const keyed = createClient({ apiKey, baseUrl: server.url, headers })
    await expect(keyed.createPaymentIntent(params)).rejects.toThrow('pass `idempotencyKey`')
    expect(await keyed.createPaymentIntent(params, { idempotencyKey: 'b' })).toEqual(intent)
  })
})

describe('every documented option is accepted', () => {
  class Tuned {
    timeout = 5_000
    idempotencyKey: string
    constructor(key: string) {
      this.idempotencyKey = key
    }
    get deadline() {
      return 9_000
    }
  }
  const { signal } = new AbortController()
  const all = {
    ...{ timeout: 5_000, deadline: 9_000, maxRetries: 1, signal, headers: { 'x-a': '1' } },
    ...{ fetch: undefined, onRetry() {}, logger: console, idempotencyKey: 'k' },
  }

  test.each<[string, object | undefined]>([
    ['none', undefined],
    ['empty', {}],
    ['all', all],
    ['undefined', { timeout: undefined, signal: undefined, headers: undefined }],
    ['without a prototype', Object.assign(Object.create(null), { idempotencyKey: 'k' })],
    ['of a class', new Tuned('k')],
    ['that inherits', Object.create({ idempotencyKey: 'k' })],
    ['frozen', Object.freeze({ idempotencyKey: 'k' })],
  ])('%s', async (_, options) => {
    expect(await client.createPaymentIntent(params, options)).toEqual(intent)
    const key = server.requests[0]?.headers['idempotency-key']
    if (options && 'idempotencyKey' in options) expect(key).toBe('k')
    else expect(key).toHaveLength(36)
  })
})
