import { expect, test } from 'vitest'
import { apiKey, json, ok, serve } from '../../test/stubServer.ts'
import { createClient } from '../createClient.ts'
import { submitPayment } from '../x402/submitPayment.ts'
import { userAgent } from './userAgent.ts'

test('is the product and its version', () => {
  expect(userAgent).toMatch(/^payment-intents-node\/\d+\.\d+\.\d+\S*$/)
})

const failed = json(500, { error: 'internal_error' })

test('is sent with every attempt', async () => {
  const server = await serve(failed, ok)
  await createClient({ apiKey, baseUrl: server.url }).createPaymentIntent({ amount_units: 1 })
  expect(server.requests.map(({ headers }) => headers['user-agent'])).toEqual([
    userAgent,
    userAgent,
  ])
})

test('is sent with a read, by any fetch', async () => {
  const server = await serve(json(200, { data: [], has_more: false }))
  const fetch: typeof globalThis.fetch = (...request) => globalThis.fetch(...request)
  await createClient({ apiKey, baseUrl: server.url, fetch }).transfers.list()
  expect(server.requests[0]?.headers['user-agent']).toBe(userAgent)
})

test('is replaced by the caller’s', async () => {
  const server = await serve(ok)
  const headers = { 'User-Agent': 'shop/7' }
  const client = createClient({ apiKey, baseUrl: server.url, headers })
  await client.createPaymentIntent({ amount_units: 1 })
  expect(server.requests[0]?.headers['user-agent']).toBe('shop/7')
})

test('is sent when an x402 payment is submitted', async () => {
  const server = await serve(json(404, {}))
  const payment = { url: server.url, signature: 'a', disconnected: new AbortController().signal }
  await expect(submitPayment(payment, {})).rejects.toThrow('404')
  expect(server.requests[0]?.headers['user-agent']).toBe(userAgent)
})
