import { beforeEach, expect, test, vi } from 'vitest'
import { apiKey } from '../../test/stubServer.ts'
import { createClient } from '../createClient.ts'
import { isPaymentIntentsError } from './paymentIntentsError.ts'

// Arguments that throw when read or do not match their types: getters, test doubles.
const fail = () => {
  throw new RangeError('the getter said no')
}
const thrower: never = new Proxy({}, { get: fail, ownKeys: fail, has: fail }) as never
const nullValue = null as never
const client = createClient({ apiKey, baseUrl: 'http://127.0.0.1:1', maxRetries: 0 })

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No wait between attempts.
})

test.each<[string, () => Promise<unknown>]>([
  ['options of null', () => client.createPaymentIntent({ amount_units: 1 }, nullValue)],
  ['options of null to a read', () => client.paymentIntents.retrieve('pi_1', nullValue)],
  ['options of null to a list', () => client.events.list({}, nullValue)],
  ['options of null to an endpoint', () => client.webhookEndpoints.delete('we_1', nullValue)],
  ['options that throw', () => client.paymentIntents.cancel('pi_1', thrower)],
  ['parameters of null', () => client.createPaymentIntent(nullValue)],
  ['parameters that throw', () => client.createPaymentIntent(thrower)],
  [
    'a parameter that throws',
    () =>
      client.createPaymentIntent(Object.defineProperty({} as never, 'amount_units', { get: fail })),
  ],
  ['parameters that throw of an assignment', () => client.transfers.assign('tr_1', thrower)],
  ['parameters that throw of a list', () => client.paymentIntents.list(thrower)],
  [
    'parameters that throw of deliveries',
    () => client.webhookEndpoints.listDeliveries('we_1', thrower),
  ],
  ['parameters that throw of an endpoint', () => client.webhookEndpoints.create(thrower)],
])('%s are invalid_body', async (_, call) => {
  const error = await call().catch((error) => error)
  expect(isPaymentIntentsError(error)).toBe(true)
  expect(error).toMatchObject({ code: 'invalid_body', attempts: 0, retryable: false })
})

test.each([
  ['null', nullValue],
  ['a number', 5 as never],
  ['what throws', thrower],
])('a client of %s is refused as invalid_body', (_, options) => {
  expect(() => createClient(options)).toThrow(
    expect.objectContaining({ name: 'PaymentIntentsError', code: 'invalid_body' }),
  )
})

test('a fetch without response headers is reported as such', async () => {
  const fetch = async () =>
    ({ status: 200, body: {}, text: async () => '{}' }) as unknown as Response
  const call = client.createPaymentIntent({ amount_units: 1 }, { fetch })
  await expect(call).rejects.toThrow('(fetch returned a response without headers)')
})

test.each<[string, object | undefined]>([
  ['nothing', undefined],
  ['a response without headers', { status: 500, body: {}, text: async () => '' }],
  ['a success without headers', { status: 200, body: {}, text: async () => '{}' }],
  [
    'a response whose headers throw',
    { status: 400, headers: { get: fail }, body: {}, text: async () => '{}' },
  ],
])('a fetch that returns %s is a network_error, and is retried', async (_, respond) => {
  let requests = 0
  const fetch = async () => {
    requests += 1
    return respond as unknown as Response
  }
  const logged: unknown[] = []
  const options = { fetch, maxRetries: 1, logger: { debug: () => logged.push('attempt') } }
  const call = client.createPaymentIntent({ amount_units: 1 }, options)
  const error = await call.catch((error) => error)
  expect(isPaymentIntentsError(error)).toBe(true)
  expect(error).toMatchObject({
    code: 'network_error',
    attempts: 2,
    idempotencyKey: expect.any(String),
  })
  expect([requests, logged]).toEqual([2, ['attempt', 'attempt']])
})
