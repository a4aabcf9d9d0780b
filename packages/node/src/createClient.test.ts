import { afterEach, expect, test, vi } from 'vitest'
import { apiKey, intent, ok, serve } from '../test/stubServer.ts'
import { createClient } from './createClient.ts'
import type { ClientOptions } from './options/clientOptions.ts'

afterEach(() => vi.unstubAllEnvs())

test('takes key and address from the environment', async () => {
  const server = await serve(ok)
  vi.stubEnv('PAYMENT_INTENTS_API_KEY', apiKey)
  vi.stubEnv('PAYMENT_INTENTS_BASE_URL', server.url)
  expect(await createClient().createPaymentIntent({ amount_units: 1 })).toEqual(intent)
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`)
})

test('a passed option takes precedence over the environment', async () => {
  const server = await serve(ok)
  vi.stubEnv('PAYMENT_INTENTS_API_KEY', 'sk_test_other')
  vi.stubEnv('PAYMENT_INTENTS_BASE_URL', 'http://127.0.0.1:1')
  await createClient({ apiKey, baseUrl: server.url }).createPaymentIntent({ amount_units: 1 })
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`)
})

test('an option that is undefined counts as missing', async () => {
  const server = await serve(ok)
  const client = createClient({ apiKey, baseUrl: server.url, timeout: undefined })
  const call = client.createPaymentIntent({ amount_units: 1 }, { maxRetries: undefined })
  expect(await call).toEqual(intent)
})

const baseUrl = 'https://pay.example.com'

test.each<[ClientOptions, string]>([
  [{ baseUrl, apiKey: 'pk_test_1' }, 'api_key_invalid'],
  [{ baseUrl, apiKey: 5 as never }, 'api_key_invalid'],
  [{ apiKey: 'pk_test_1' }, 'api_key_invalid'],
  [{ baseUrl: 'pay.example.com' }, 'invalid_body'],
  [{ apiKey, baseUrl: 'pay.example.com' }, 'invalid_body'],
  [{ apiKey, baseUrl: 'ftp://pay.example.com' }, 'invalid_body'],
  [{ apiKey, baseUrl: 'https://me:pass@pay.example.com' }, 'invalid_body'],
  [{ apiKey, baseUrl: 'https://pay.example.com?x=1' }, 'invalid_body'],
  [{ apiKey, baseUrl, timeout: -1 }, 'invalid_body'],
  [{ apiKey: 'sk_live_1', baseUrl: 'http://pay.example.com' }, 'invalid_body'],
  [{ apiKey: 'sk_live_1', baseUrl: 'http://10.0.0.5:3000' }, 'invalid_body'],
  [{ apiKey: 'sk_live_1', baseUrl: 'http://localhost.example.com' }, 'invalid_body'],
  [{ apiKey: 'sk_live_1', baseUrl: 'http://127.0.0.1.example.com' }, 'invalid_body'],
  [{ apiKey: 'sk_live_1', baseUrl: 'HTTP://0.0.0.0' }, 'invalid_body'],
  [{ apiKey: 'sk_later_1', baseUrl: 'http://pay.example.com' }, 'invalid_body'],
])('%o is refused at once: %s', (options, code) => {
  vi.stubEnv('PAYMENT_INTENTS_API_KEY', undefined)
  vi.stubEnv('PAYMENT_INTENTS_BASE_URL', undefined)
  expect(() => createClient(options)).toThrow(expect.objectContaining({ code, attempts: 0 }))
})

test.each<[ClientOptions, string, string]>([
  [{ baseUrl }, 'api_key_missing', 'PAYMENT_INTENTS_API_KEY'],
  [{ baseUrl, apiKey: '' }, 'api_key_missing', 'PAYMENT_INTENTS_API_KEY'],
  [{}, 'api_key_missing', 'PAYMENT_INTENTS_API_KEY'],
  [{ apiKey }, 'invalid_body', 'PAYMENT_INTENTS_BASE_URL'],
  [{ apiKey, baseUrl: '' }, 'invalid_body', 'PAYMENT_INTENTS_BASE_URL'],
])('%o is refused at the first call: %s', async (options, code, variable) => {
  vi.stubEnv('PAYMENT_INTENTS_API_KEY', undefined)
  vi.stubEnv('PAYMENT_INTENTS_BASE_URL', undefined)
  const client = createClient(options)
  const refusal = { code, attempts: 0, message: expect.stringContaining(variable) }
  await expect(client.createPaymentIntent({ amount_units: 1 })).rejects.toMatchObject(refusal)
  await expect(client.paymentIntents.list()).rejects.toMatchObject(refusal)
})

test('a key that is set after the client was created is used, unless it is invalid', async () => {
  const server = await serve(ok)
  vi.stubEnv('PAYMENT_INTENTS_API_KEY', undefined)
  vi.stubEnv('PAYMENT_INTENTS_BASE_URL', undefined)
  const client = createClient()
  vi.stubEnv('PAYMENT_INTENTS_BASE_URL', server.url)
  vi.stubEnv('PAYMENT_INTENTS_API_KEY', 'pk_test_1')
  const call = client.createPaymentIntent({ amount_units: 1 })
  await expect(call).rejects.toMatchObject({ code: 'api_key_invalid', attempts: 0 })
  vi.stubEnv('PAYMENT_INTENTS_API_KEY', apiKey)
  expect(await client.createPaymentIntent({ amount_units: 1 })).toEqual(intent)
})

test.each([
  ['sk_live_1', 'https://pay.example.com'],
  ['sk_live_1', 'http://localhost:3000'],
  ['sk_live_1', 'http://127.8.0.1'],
  ['sk_live_1', 'http://[::1]:3000'],
  ['sk_test_1', 'http://pay.internal'],
])('a key like %s is sent to %s', (apiKey, baseUrl) => {
  expect(() => createClient({ apiKey, baseUrl })).not.toThrow()
})

test('a live key that would be sent unencrypted is not in the error, which says what to do', () => {
  const options = { apiKey: 'sk_live_0123', baseUrl: 'http://pay.example.com' }
  expect(() => createClient(options)).toThrow(/^baseUrl must begin with https(?!.*sk_live_0123)/)
})
