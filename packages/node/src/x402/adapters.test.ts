import { createServer, type RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { decodeX402, encodeX402, type X402Required } from '@payment-intents/contract'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { apiKey, intent, json, listenInTest, type Reply, serve } from '../../test/stubServer.ts'
import { keepGlobals } from '../../test/testReceivers.ts'
import { paymentRequired as forExpress } from './express.ts'
import { paymentRequired as forFastify } from './fastify.ts'
import { paymentRequired as forHono } from './hono.ts'
import { paymentRequired as forNext } from './next.ts'
import type { PaymentRequiredOptions, PaymentTerms } from './terms.ts'

const wallet = intent.expected_wallet
const sky = { sky: 'clear' }

type Open = (
  terms: PaymentTerms,
  options: PaymentRequiredOptions,
  run: () => void,
) => RequestListener | Promise<RequestListener>

const frameworks: [name: string, Open][] = [
  [
    'Express',
    (terms, options, run) =>
      express().get('/weather', forExpress(terms, options), (_request, response) => {
        run()
        response.json(sky)
      }),
  ],
  [
    'Fastify',
    async (terms, options, run) => {
      const app = fastify()
      app.get('/weather', { onRequest: forFastify(terms, options) }, async () => {
        run()
        return sky
      })
      await app.ready()
      return app.routing
    },
  ],
  [
    'Hono',
    (terms, options, run) => {
      const app = new Hono().get('/weather', forHono(terms, options), (context) => {
        run()
        return context.json(sky)
      })
      return getRequestListener(app.fetch, keepGlobals)
    },
  ],
  [
    'Next.js',
    (terms, options, run) =>
      getRequestListener(
        forNext(
          terms,
          () => {
            run()
            return Response.json(sky)
          },
          options,
        ),
        keepGlobals,
      ),
  ],
]

const link = 'https://pay.example.com/x402/pi_01_x402_topsecret'
const created = json(200, { ...intent, links: { page: 'https://pay.example.com/', x402: link } })
const settlement = { success: true, transaction: '0xab', network: 'eip155:84532', payer: wallet }
const settled = json(200, settlement, { 'payment-response': encodeX402(settlement) })

async function open(start: Open, replies: [Reply, ...Reply[]], more: Partial<PaymentTerms> = {}) {
  const service = await serve(...replies)
  const errors: unknown[] = []
  const sold = { runs: 0 }
  const terms = { price: '0.01', wallet, description: 'The weather ☀', ...more }
  const listener = await start(
    terms,
    { apiKey, baseUrl: service.url, onError: (error) => errors.push(error), maxRetries: 0 },
    () => {
      sold.runs += 1
    },
  )
  const { url } = await listenInTest(createServer(listener))
  const request = (headers: Record<string, string> = {}) =>
    fetch(`${url}/weather?day=1`, { headers })
  return { url, request, sold, errors, requests: service.requests }
}

function requiredOf(response: Response): X402Required {
  return decodeX402(response.headers.get('payment-required') ?? '') as X402Required
}

type Signed = { validAfter?: number; validBefore?: number; signature?: string }

function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds
}

/** A payment of the required amount, whose signature nobody checks here. */
function paymentFor({ accepts: [accepted] }: X402Required, more: Signed = {}): string {
  const { validAfter = 0, validBefore = inSeconds(120), signature = `0x${'c'.repeat(130)}` } = more
  const authorization = {
    ...{ from: `0x${'a'.repeat(40)}`, to: wallet, value: '10000', nonce: `0x${'b'.repeat(64)}` },
    ...{ validAfter: String(validAfter), validBefore: String(validBefore) },
  }
  const payload = { authorization, signature }
  return encodeX402({ x402Version: 2, accepted, payload } as Parameters<typeof encodeX402>[0])
}

describe.each(frameworks)('%s', (_name, start) => {
  test('requests payment without a request to the service', async () => {
    const { request, url, sold, requests } = await open(start, [created])
    const response = await request()
    expect(response.status).toBe(402)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const required = requiredOf(response)
    expect(await response.json()).toEqual(required)
    expect(required).toEqual({
      x402Version: 2,
      error: 'Payment required',
      resource: { url: `${url}/weather?day=1`, description: 'The weather ☀', mimeType: '' },
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:84532',
          amount: '10000',
          asset: intent.token_address,
          payTo: wallet,
          maxTimeoutSeconds: 120,
          extra: { name: 'USDC', version: '2', claim: expect.stringMatching(/^[\w-]{36}$/) },
        },
      ],
    })
    expect([sold.runs, requests.length]).toEqual([0, 0])
    // Each 402 has its own secret, which a payment has to return.
    const next = requiredOf(await request())
    expect(next.accepts[0]?.extra.claim).not.toBe(required.accepts[0]?.extra.claim)
    const { claim, ...extra } = required.accepts[0]?.extra ?? { name: '', version: '' }
    const stripped = { ...required, accepts: [{ ...required.accepts[0], extra }] } as X402Required
    const refused = requiredOf(await request({ 'payment-signature': paymentFor(stripped) }))
    expect([refused.error, requests.length]).toEqual(['invalid_payment_requirements', 0])
  })

  test('submits a payment to the link of its own intent, and runs the route', async () => {
    const { request, sold, requests } = await open(start, [created, settled])
    const payment = paymentFor(requiredOf(await request()))
    const response = await request({ 'payment-signature': payment })
    expect([response.status, await response.json(), sold.runs]).toEqual([200, sky, 1])
    expect(decodeX402(response.headers.get('payment-response') ?? '')).toEqual(settlement)
    expect(response.headers.get('cache-control')).toBe('private')
    const [creation, submission] = requests
    expect(creation?.headers['idempotency-key']).toBe(
      `x402:0x${'a'.repeat(40)}:0x${'b'.repeat(64)}`,
    )
    expect(JSON.parse(creation?.body ?? '')).toEqual({
      ...{ amount_units: 10_000, chain: 'base', wallet_address: wallet, expires_in_minutes: 5 },
      metadata: {},
    })
    expect(submission?.target).toBe('POST /x402/pi_01_x402_topsecret')
    expect(submission?.headers).toMatchObject({ 'payment-signature': payment })
    expect(submission?.headers).not.toHaveProperty('authorization')
  })

  test('runs the route for no other payment, and says why', async () => {
    const refused = { x402Version: 2, error: 'invalid_exact_evm_signature', accepts: [] }
    const { request, sold, errors, requests } = await open(start, [
      created,
      json(
        402,
        {},
        { 'payment-required': Buffer.from(JSON.stringify(refused)).toString('base64') },
      ),
      created,
      json(409, { error: 'conflict', reason: 'illegal_state' }),
      json(200, { ...intent, links: { page: '', x402: null } }),
      json(401, { error: 'api_key_invalid', message: `no ${apiKey}`, request_id: 'r' }),
    ])
    const payment = paymentFor(requiredOf(await request()))
    const pay = () => request({ 'payment-signature': payment })
    expect(requiredOf(await request({ 'payment-signature': 'bm90aGluZw==' })).error).toBe(
      'invalid_payload',
    )
    expect(requests).toEqual([])
    expect(requiredOf(await pay()).error).toBe('invalid_exact_evm_signature')
    expect(requiredOf(await pay()).error).toBe('invalid_transaction_state')
    expect([errors, (await pay()).status, (await pay()).status]).toEqual([errors, 503, 500])
    expect(errors).toHaveLength(2)
    expect(`${errors}`).not.toContain(apiKey)
    expect(sold.runs).toBe(0)
  })

  test('tells a payer of version 1 to send version 2', async () => {
    const { request, sold, requests } = await open(start, [created])
    const payment = btoa('{"x402Version":1,"scheme":"exact","network":"base"}')
    const responses = [
      await request({ 'x-payment': payment }),
      await request({ 'x-payment': 'any' }),
      await request({ 'payment-signature': payment }),
    ]
    for (const response of responses) {
      expect(response.status).toBe(402)
      expect(requiredOf(response)).toMatchObject({ x402Version: 2, error: 'invalid_x402_version' })
      expect(await response.json()).toMatchObject({
        error: 'invalid_x402_version',
        message: expect.stringContaining('version 2 in the header PAYMENT-SIGNATURE'),
      })
    }
    expect([requests, sold.runs]).toEqual([[], 0])
  })
})

const day = 24 * 60 * 60
const wrapped = `0x${'c'.repeat(130)}${'6492'.repeat(16)}`
test.each<[string, Signed, error: string | null]>([
  ['that is not valid yet', { validAfter: inSeconds(90) }, 'authorization_valid_after'],
  ['that is valid for too long', { validBefore: inSeconds(900) }, 'authorization_valid_before'],
  ['that is over for days', { validBefore: inSeconds(-2 * day) }, 'authorization_valid_before'],
  ['of an account that is not there yet', { signature: wrapped }, 'invalid_exact_evm_signature'],
  ['that is over, and may have been taken before', { validBefore: inSeconds(-3_600) }, null],
  ['that begins by a clock that is ahead', { validAfter: inSeconds(10) }, null],
])('a payment %s: is refused without an intent, if at all', async (_, more, error) => {
  const start = frameworks[0]?.[1] as Open
  const { request, requests } = await open(start, [created, settled])
  const required = requiredOf(await request())
  const response = await request({ 'payment-signature': paymentFor(required, more) })
  if (error === null) expect(response.status).toBe(200)
  else expect(requiredOf(response).error).toContain(error)
  expect(requests).toHaveLength(error === null ? 2 : 0)
})

test('a pending payment is reported as pending, for the payer to send again', async () => {
  const pending = { ...settlement, success: false, errorReason: 'settlement_pending' }
  const start = frameworks[0]?.[1] as Open
  const { request, sold } = await open(start, [
    created,
    json(402, pending, { 'payment-response': encodeX402(pending) }),
  ])
  const response = await request({ 'payment-signature': paymentFor(requiredOf(await request())) })
  expect([response.status, await response.json()]).toEqual([402, pending])
  expect(response.headers.get('payment-required')).toBeNull()
  expect(sold.runs).toBe(0)
})

test.each<[string, object]>([
  ['amount_units', { wallet }],
  ['amount_units', { wallet, amount_units: 0.5 }],
  ['wallet', { price: '1', wallet: '0x12' }],
  ['chain', { price: '1', wallet, chain: 'solana' }],
])('wrong terms are refused at once: %s', (path, terms) => {
  expect(() => forExpress(terms as PaymentTerms)).toThrow(
    expect.objectContaining({ code: 'invalid_body', message: expect.stringContaining(path) }),
  )
})

describe.each(frameworks)('%s refuses unknown terms and options at once', (_name, start) => {
  const terms = { price: '0.01', wallet }
  test.each<[unknown, unknown, string]>([
    [{ ...terms, meta_data: {} }, {}, 'Unknown term `meta_data`. Did you mean `metadata`?'],
    [{ ...terms, amountUnits: 5 }, {}, 'Unknown term `amountUnits`. Did you mean `amount_units`?'],
    ['0.01', {}, 'Pass terms as an object, such as { price: … }; received string.'],
    [terms, { base_url: '' }, 'Unknown option `base_url`. Did you mean `baseUrl`?'],
    [terms, { onerror() {} }, 'Unknown option `onerror`. Did you mean `onError`?'],
    [terms, apiKey, 'Pass options as an object, such as { onError: … }; received string.'],
  ])('%o %o', async (payment, options, message) => {
    const started = (async () => start(payment as never, options as never, () => {}))()
    await expect(started).rejects.toMatchObject({ code: 'invalid_body', attempts: 0 })
    await expect(started).rejects.toThrow(message)
  })
})
