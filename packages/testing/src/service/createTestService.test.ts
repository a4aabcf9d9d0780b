import {
  decodeX402,
  encodeX402,
  endpoints,
  type ResolvedPaymentIntent,
  type X402Payment,
  type X402Required,
  type X402Requirements,
  x402Headers,
} from '@payment-intents/contract'
import { createClient, isPaymentIntentsError } from '@payment-intents/node'
import { paymentRequired } from '@payment-intents/node/next'
import { setupServer } from 'msw/node'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { type HeldTimers, holdTimers } from '../../../../tests/support/holdTimers.ts'
import { createTestService } from './createTestService.ts'
import type { Failure } from './failures.ts'

const start = new Date('2030-01-01T12:00:00Z')
const service = createTestService({ now: start })
/** The merchant's own wallet. */
const shop = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'
const server = setupServer(...service.handlers)
const transferWithAuthorization = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
]
const retries: string[] = []
/** `Retry-After` of a conflict, in milliseconds. */
const second = 1_000
let clock: HeldTimers | undefined
const client = createClient({
  apiKey: service.apiKey,
  baseUrl: service.baseUrl,
  onRetry: ({ error, delay }) => {
    retries.push(error.code)
    if (delay >= second) setImmediate(() => clock?.runOut())
  },
})

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No wait between attempts.
})
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => {
  service.reset()
  retries.length = 0
  clock = undefined
})
afterAll(() => server.close())

const create = (more: object = {}) =>
  client.createPaymentIntent({ amount_units: 25_000_000, metadata: { order_id: '1042' }, ...more })
const types = () => service.events.map(({ type }) => type.replace('payment_intent.', ''))

type Resolved = ResolvedPaymentIntent & { gasless: NonNullable<ResolvedPaymentIntent['gasless']> }

async function resolve(body: object, { baseUrl } = service): Promise<Resolved> {
  const response = await fetch(`${baseUrl}/v1/payment_intents/resolve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as never
}

test('has every endpoint', async () => {
  for (const [operation, { method, path }] of Object.entries(endpoints)) {
    // The service checks the key and the body before it looks for an object.
    const { status } = await fetch(`${service.baseUrl}${path.replace('{id}', 'x')}`, { method })
    expect([400, 401], operation).toContain(status)
  }
})

describe('simulated payments', () => {
  test('pay makes a succeeded payment, or a payment with the requested confirmations', async () => {
    const [exact, young] = [await create(), await create()]
    expect(service.pay(exact.id)).toMatchObject({
      status: 'succeeded',
      confirmations: 5,
      amount_received_units: exact.amount_units,
    })
    expect(service.pay(young.id, { confirmations: 2 })).toMatchObject({
      status: 'pending_confirmations',
      confirmations: 2,
    })
    expect(service.confirm(young.id)).toMatchObject({ status: 'succeeded' })
    expect(await client.paymentIntents.retrieve(young.id)).toMatchObject(
      service.confirm(young.id, 0),
    )
  })

  test('underpay, payLate and reorg lead to their states', async () => {
    const [short, late, reorged] = [await create(), await create(), await create()]
    expect(service.underpay(short.id, { missing_units: 1 })).toMatchObject({
      status: 'requires_payment',
      exceptions: ['underpaid'],
      amount_received_units: 24_999_999,
    })
    service.pay(reorged.id, { confirmations: 3 })
    expect(service.reorg(reorged.id)).toMatchObject({ exceptions: ['reorged'], tx_hash: null })
    expect(service.payLate(late.id)).toMatchObject({ status: 'expired', exceptions: ['late'] })
    expect(service.clock.now() > new Date(late.expires_at)).toBe(true)
  })

  test.each<[string, (id: string) => unknown, RegExp]>([
    ['an intent that is not there', () => service.pay('pi_1'), /pi_1 .*create it first/],
    ['nothing', (id) => service.pay(id, { amount_units: 0 }), /above zero/],
    ['a wallet paid by itself', (id) => service.pay(id, { from: shop }), /pays itself/],
    ['less by nothing', (id) => service.underpay(id, { missing_units: 0 }), /from 1 to 24999999/],
    ['a confirmation of nothing', (id) => service.confirm(id), /pay it first/],
    ['a reorg of nothing', (id) => service.reorg(id), /received nothing/],
  ])('refuse %s in a sentence', async (_, simulate, sentence) => {
    const { id } = await create()
    expect(() => simulate(id)).toThrow(sentence)
    expect(types()).toEqual(['created'])
  })

  test('a transfer to a wallet that no intent uses throws, also a day after a deadline', async () => {
    expect(() => service.transfer({ amount_units: 1 })).toThrow(/does not watch 0xa0Ee/)
    const { id } = await create()
    service.clock.advance(30 + 24 * 60)
    expect(service.payLate(id)).toMatchObject({ exceptions: ['late'] })
    service.clock.advance(1)
    expect(() => service.pay(id)).toThrow(/does not watch/)
  })
})

test('the merchant’s contact is in resolve, and must be one', async () => {
  const baseUrl = 'https://contact.test'
  const reachable = createTestService({ support: 'help@shop.example', guide: 'none', baseUrl })
  server.use(...reachable.handlers)
  onTestFinished(() => server.resetHandlers())
  const merchant = createClient({ baseUrl, apiKey: reachable.apiKey })
  const { client_secret } = await merchant.createPaymentIntent({ amount_units: 1 })
  const body = JSON.stringify({ client_secret })
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body }
  const resolved = await fetch(`${baseUrl}/v1/payment_intents/resolve`, init)
  expect(await resolved.json()).toMatchObject({ support: 'help@shop.example', guide: 'none' })
  expect(() => createTestService({ support: 'http://shop.example' })).toThrow(/`support` must be/)
  expect(() => createTestService({ guide: 'http://shop.example' })).toThrow(/`guide` must be/)
})

test('with matchPlainPrice, a bare transfer pays the only intent of that price', async () => {
  const baseUrl = 'https://plain.test'
  const matching = createTestService({ now: start, matchPlainPrice: true, baseUrl })
  server.use(...matching.handlers)
  onTestFinished(() => server.resetHandlers())
  const largest = { amount_units: Number.MAX_SAFE_INTEGER }
  const merchant = createClient({ baseUrl, apiKey: matching.apiKey })
  const first = await merchant.createPaymentIntent(largest)
  expect(matching.transfer(largest)).toMatchObject({ bound_by: 'price', payment_intent: first.id })
  const { id, client_secret } = await merchant.createPaymentIntent(largest)
  const from = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
  await resolve({ client_secret, payer: from.toLowerCase() }, matching)
  expect(matching.transfer({ ...largest, from })).toMatchObject({
    reason: 'ambiguous',
    suggestions: [{ payment_intent: id, match: 'payer' }],
  })
})

describe('a payer without gas', () => {
  const gasless = createTestService({ now: start, gasless: true, baseUrl: 'https://gasless.test' })
  const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
  beforeAll(() => server.use(...gasless.handlers))
  afterAll(() => server.resetHandlers())

  async function open() {
    const { baseUrl, apiKey } = gasless
    const merchant = createClient({ baseUrl, apiKey })
    const intent = await merchant.createPaymentIntent({ amount_units: 25_000_000 })
    const { client_secret } = intent
    const resolved = await resolve({ client_secret }, gasless)
    const { domain, message } = resolved.gasless
    const authorization = { from: account.address, ...message }
    const signature = await account.signTypedData({
      domain,
      types: { TransferWithAuthorization: transferWithAuthorization },
      primaryType: 'TransferWithAuthorization',
      message: authorization,
    } as never)
    const submit = async (body: object = {}) => {
      const response = await fetch(`${baseUrl}/v1/payment_intents/authorize`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: JSON.stringify({ client_secret, authorization, signature, ...body }),
      })
      return { status: response.status, body: (await response.json()) as { reason: string } }
    }
    return { merchant, intent, submit, look: () => resolve({ client_secret }, gasless) }
  }

  test('submits the offered authorization, which the next block pays', async () => {
    const { merchant, intent, submit, look } = await open()
    const { version } = await look()
    expect(await submit()).toMatchObject({
      status: 200,
      body: { version: version + 1, authorization: { status: 'in_flight' } },
    })
    expect((await submit()).status).toBe(200)
    expect(await look()).toMatchObject({ gasless: null, authorization: { status: 'in_flight' } })
    await expect(merchant.paymentIntents.cancel(intent.id)).rejects.toMatchObject({
      reason: 'payment_in_flight',
    })
    expect(gasless.confirm(intent.id)).toMatchObject({ status: 'succeeded' })
    expect(await look()).toMatchObject({ authorization: { status: 'used' } })
    gasless.reorg(intent.id)
    expect(await look()).toMatchObject({ authorization: { status: 'in_flight' } })
  })

  test('cannot submit a wrong signature, other terms or a late authorization', async () => {
    const { intent, submit, look } = await open()
    const rejected = await submit({ signature: `0x${'12'.repeat(65)}` })
    expect(rejected).toMatchObject({ status: 400, body: { reason: 'signature_invalid' } })
    expect((await submit()).status).toBe(200)
    gasless.pay(intent.id, { confirmations: 1 })
    expect(await look()).toMatchObject({
      authorization: { status: 'refused', reason: 'intent_paid' },
    })
    const late = await open()
    gasless.clock.advance(30)
    expect((await late.submit()).body.reason).toBe('intent_expired')
  })
})

test('a program buys from a paid route without a server, once for a payment', async () => {
  const seller = createTestService({ gasless: true, baseUrl: 'https://selling.test' })
  server.use(...seller.handlers)
  onTestFinished(() => server.resetHandlers())
  const { baseUrl, apiKey } = seller
  const errors: unknown[] = []
  const sell = paymentRequired(
    { price: '0.01', wallet: '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720' },
    () => Response.json({ sky: 'clear' }),
    { baseUrl, apiKey, maxRetries: 0, onError: (error) => errors.push(error) },
  )
  const buy = (headers: Record<string, string> = {}) =>
    sell(new Request('https://shop.test/weather', { headers }))
  const unpaid = await buy()
  const required = unpaid.headers.get(x402Headers.required) ?? ''
  const { accepts } = decodeX402(required) as X402Required
  const [accepted] = accepts as [X402Requirements]
  const payBy = async (key: Hex) => {
    const account = privateKeyToAccount(key)
    const authorization = {
      ...{ from: account.address, to: accepted.payTo, value: accepted.amount, validAfter: '0' },
      validBefore: String(Math.floor(Date.now() / 1_000) + 60),
      nonce: `0x${'77'.repeat(32)}`,
    }
    const signature = await account.signTypedData({
      domain: { ...accepted.extra, chainId: 84532, verifyingContract: accepted.asset },
      types: { TransferWithAuthorization: transferWithAuthorization },
      primaryType: 'TransferWithAuthorization',
      message: authorization,
    } as never)
    return { authorization, signature }
  }
  const header = (payload: object) =>
    encodeX402({ x402Version: 2, accepted, payload } as unknown as X402Payment)
  const payload = await payBy(`0x${'11'.repeat(32)}`)
  const { signature } = await payBy(`0x${'22'.repeat(32)}`)
  const forged = await buy({ [x402Headers.signature]: header({ ...payload, signature }) })
  expect([forged.status, seller.events]).toEqual([402, []])

  const payment = { [x402Headers.signature]: header(payload) }
  const paid = await buy(payment)
  expect([paid.status, await paid.json(), errors]).toEqual([200, { sky: 'clear' }, []])
  expect((await buy(payment)).status).toBe(402)
  expect(seller.events.map(({ type }) => type)).toEqual([
    'payment_intent.created',
    'payment_intent.pending_confirmations',
  ])
  // A program's payment is like any other: the test makes its confirmations, failures and reorgs.
  const [{ data } = expect.fail('no event')] = seller.events
  const { id } = data.object as { id: string }
  expect(seller.confirm(id).status).toBe('succeeded')
  seller.fail({ with: 'internal_error', on: 'x402' })
  expect((await buy(payment)).status).toBe(402)

  // The response expires after a day; a payment is checked before the service creates an intent for it.
  seller.clock.advance(24 * 60)
  const { authorization } = payload
  const created = await fetch(`${baseUrl}/v1/payment_intents`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': `x402:${authorization.from.toLowerCase()}:${authorization.nonce}`,
      ...payment,
    },
    body: JSON.stringify({ amount_units: 10_000, wallet_address: accepted.payTo }),
  })
  expect(created.status).toBe(409)
})

describe('the clock', () => {
  test('stands still until a test advances it; deadlines pass then', async () => {
    const intent = await create({ expires_in_minutes: 5 })
    expect(intent.created_at).toBe(start.toISOString())
    service.clock.advance(5)
    expect(types()).toEqual(['created'])
    service.clock.advance(0.1)
    expect(types()).toEqual(['created', 'expired'])
    expect(service.clock.now()).toEqual(new Date(start.getTime() + 306_000))
  })

  test('an idempotency key is kept for a day', async () => {
    const key = { idempotencyKey: 'order-1042' }
    const params = { amount_units: 1 }
    const first = await client.createPaymentIntent(params, key)
    service.clock.advance(24 * 60 - 1)
    expect(await client.createPaymentIntent(params, key)).toEqual({ ...first, ended_as: 'expired' })
    service.clock.advance(1)
    expect((await client.createPaymentIntent(params, key)).id).not.toBe(first.id)
  })

  test('ends the wait of a held response', async () => {
    const { client_secret } = await create()
    let isOver = false
    const longPoll = resolve({ client_secret, after_version: 1, wait_seconds: 25 }).finally(() => {
      isOver = true
    })
    while (!isOver) {
      await client.transfers.list()
      service.clock.advance(0.5)
    }
    expect(await longPoll).toMatchObject({ version: 1 })
  })

  test('need not move for a held response to return a change', async () => {
    const { id, client_secret } = await create()
    const longPoll = resolve({ client_secret, after_version: 1, wait_seconds: 25 })
    await client.transfers.list()
    service.pay(id, { confirmations: 1 })
    expect(await longPoll).toMatchObject({ status: 'pending_confirmations', version: 3 })
  })

  test('stands still, and intents of the same instant keep their order', async () => {
    const ids = [await create(), await create(), await create()].map(({ id }) => id)
    const { data } = await client.paymentIntents.list()
    expect(data.map(({ id }) => id)).toEqual(ids.toReversed())
  })
})

describe('fail', () => {
  test.each<[Failure, string, string[]]>([
    [{ with: 'internal_error' }, 'ok', ['internal_error']],
    [{ with: 'internal_error', times: 3 }, 'internal_error', ['internal_error', 'internal_error']],
    [{ with: 'rate_limited', retry_after_seconds: 0 }, 'ok', ['rate_limited']],
    [{ with: 'conflict' }, 'ok', ['conflict']],
    [{ with: 'conflict', reason: 'illegal_state' }, 'conflict', []],
    [{ with: 'api_key_invalid' }, 'api_key_invalid', []],
    [{ with: 'merchant_not_found' }, 'merchant_not_found', []],
    [{ with: 'unreachable' }, 'ok', ['network_error']],
    [{ with: 'response_lost' }, 'ok', ['network_error']],
    [{ with: 'garbage' }, 'invalid_response', []],
    [{ with: 'bad_gateway' }, 'ok', ['unexpected_status']],
    [{ with: 'internal_error', on: 'listEvents' }, 'ok', []],
  ])('%j ends in %s after %j, and there is one intent at most', async (failure, end, met) => {
    clock = holdTimers(second)
    service.fail(failure)
    const outcome = await create().then(
      () => 'ok',
      (error) => (isPaymentIntentsError(error) ? error.code : error),
    )
    expect(outcome).toBe(end)
    expect(retries).toEqual(met)
    expect(types()).toEqual(end === 'ok' ? ['created'] : [])
  })

  test('response_lost takes effect, and unreachable does not', async () => {
    for (const failure of ['response_lost', 'unreachable'] as const) {
      service.fail({ with: failure })
      const call = client.createPaymentIntent({ amount_units: 1 }, { maxRetries: 0 })
      await expect(call).rejects.toMatchObject({ code: 'network_error' })
    }
    expect(types()).toEqual(['created'])
  })

  test('hang never gets a response', async () => {
    service.fail({ with: 'hang', times: 2 })
    const call = client.events.list({}, { timeout: 50, maxRetries: 1 })
    await expect(call).rejects.toMatchObject({ code: 'timeout', attempts: 2 })
  })

  test('responds in the published shape, with the headers of a real response', async () => {
    service.fail({ with: 'rate_limited', retry_after_seconds: 7 })
    const response = await fetch(`${service.baseUrl}/v1/events`)
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('7')
    expect(await response.json()).toEqual({
      error: 'rate_limited',
      message: expect.stringContaining('7 s'),
      request_id: response.headers.get('x-request-id'),
    })
  })

  test('applies in order, and reset removes it', async () => {
    service.fail({ with: 'not_found', on: 'listEvents' })
    service.fail({ with: 'api_key_missing' })
    const code = (error: unknown) => (isPaymentIntentsError(error) ? error.code : error)
    expect(await client.events.list().catch(code)).toBe('not_found')
    expect(await client.events.list().catch(code)).toBe('api_key_missing')
    service.fail({ with: 'not_found' })
    service.reset()
    expect(await client.events.list()).toEqual({ data: [], has_more: false })
  })
})

test('the SDK’s iteration, secrets and retrievals work on it', async () => {
  for (let count = 0; count < 12; count += 1) await create()
  let listed = 0
  for await (const { metadata } of client.paymentIntents.list({ metadata: { order_id: '1042' } })) {
    expect(metadata).toEqual({ order_id: '1042' })
    listed += 1
  }
  expect(listed).toBe(12)
  const { data } = await client.events.list({ type: 'payment_intent.created', limit: 1 })
  expect(await client.events.retrieve(data[0]?.id ?? '')).toEqual(data[0])
})

test('no response contains the key', async () => {
  const foreignKey = 'sk_test_of_someone_else'
  const responses = await Promise.all(
    [service.apiKey, foreignKey].map(async (key) => {
      const headers = { authorization: `Bearer ${key}`, 'idempotency-key': ' '.repeat(300) }
      const response = await fetch(`${service.baseUrl}/v1/payment_intents`, {
        method: 'POST',
        headers,
      })
      return response.text()
    }),
  )
  for (const text of responses) expect(text).not.toMatch(/sk_test_[0o]/)
})

test('options change the merchant and the base URL', async () => {
  const other = createTestService({
    baseUrl: 'https://pay.test/tenant/',
    apiKey: 'sk_live_mine',
    mode: 'mainnet',
    merchantName: 'Kiosk',
    wallets: { polygon: '0x1111111111111111111111111111111111111111' },
    defaultChain: 'polygon',
    confirmations: { polygon: 2 },
  })
  server.use(...other.handlers)
  const { baseUrl, apiKey } = other
  const intent = await createClient({ baseUrl, apiKey }).createPaymentIntent({ amount_units: 5 })
  expect(intent).toMatchObject({
    mode: 'mainnet',
    chain_id: 137,
    confirmations_required: 2,
    expected_wallet: '0x1111111111111111111111111111111111111111',
  })
  const { client_secret } = intent
  expect(await resolve({ client_secret }, other)).toMatchObject({ merchant_name: 'Kiosk' })
  expect(other.pay(intent.id, { confirmations: 2 }).status).toBe('succeeded')
  expect(service.events).toEqual([])
})
