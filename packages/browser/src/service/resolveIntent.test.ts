import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Address, chains } from '@payment-intents/contract/chains'
import { expect, onTestFinished, test } from 'vitest'
import { listenLocally } from '../../../../tests/support/listenLocally.ts'
import { intent } from '../../test/support/testIntents.ts'
import type { Intent } from './parseIntent.ts'
import { post } from './post.ts'
import { resolveIntent as resolve } from './resolveIntent.ts'

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

async function serve(handler: Handler): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => handler(request, response, body))
  })
  const { url, close } = await listenLocally(server)
  onTestFinished(close)
  return url
}

function respondWith(status: number, body: unknown, headers: Record<string, string> = {}): Handler {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

const secret = 'pi_test_0001_secret_abc'
const open = () => new AbortController().signal

function resolveIntent(url: string, request: object, signal: AbortSignal) {
  return resolve(
    (operation, fields, until) => post(url, operation, { client_secret: secret, ...fields }, until),
    request,
    signal,
  )
}

test('posts the secret in the body and nowhere else, and reads the intent', async () => {
  const expected = intent()
  let requestText = ''
  const url = await serve((request, response, body) => {
    requestText = JSON.stringify([request.method, request.url, request.headers])
    expect(JSON.parse(body)).toEqual({ client_secret: secret, after_version: 3, wait_seconds: 25 })
    respondWith(200, expected)(request, response, body)
  })
  const request = { after_version: 3, wait_seconds: 25 }
  expect(await resolveIntent(url, request, open())).toEqual({
    outcome: 'resolved',
    intent: expected,
  })
  expect(requestText).toContain('/v1/payment_intents/resolve')
  expect(requestText).not.toContain(secret)
})

test('fields that are added later are kept', async () => {
  const url = await serve(respondWith(200, { ...intent(), later: 1 }))
  const outcome = await resolveIntent(url, {}, open())
  expect(outcome).toMatchObject({ outcome: 'resolved', intent: { later: 1 } })
})

test.each<[string, Handler, object]>([
  [
    'a 404 of the service',
    respondWith(404, { error: 'intent_not_found' }),
    { outcome: 'not_found' },
  ],
  [
    'a 400 for the secret',
    respondWith(400, {
      error: 'invalid_body',
      issues: [{ path: 'client_secret', message: 'must not be empty' }],
    }),
    { outcome: 'not_found' },
  ],
  [
    'a 400 for a request that arrived too slowly',
    respondWith(400, {
      error: 'invalid_body',
      issues: [{ path: '', message: 'did not come in in time' }],
    }),
    { outcome: 'faulty' },
  ],
  ['a 400 without issues', respondWith(400, { error: 'invalid_body' }), { outcome: 'faulty' }],
  [
    'a 503',
    respondWith(503, { error: 'internal_error' }, { 'retry-after': '1' }),
    { outcome: 'faulty' },
  ],
  ['a 404 of another server', respondWith(404, '<h1>Not Found</h1>'), { outcome: 'faulty' }],
  [
    'a 429',
    respondWith(429, {}, { 'retry-after': '7' }),
    { outcome: 'rate_limited', retryAfterMs: 7000 },
  ],
  [
    'a 429 without `Retry-After`',
    respondWith(429, {}),
    { outcome: 'rate_limited', retryAfterMs: 1000 },
  ],
  [
    'a 429 for a day',
    respondWith(429, {}, { 'retry-after': '86400' }),
    { outcome: 'rate_limited', retryAfterMs: 60_000 },
  ],
  ['a 500', respondWith(500, { error: 'internal_error' }), { outcome: 'faulty' }],
  ['a 502 in HTML', respondWith(502, '<html>'), { outcome: 'faulty' }],
  ['a 200 with broken JSON', respondWith(200, '{"id":'), { outcome: 'faulty' }],
  ['an empty 200', respondWith(200, ''), { outcome: 'faulty' }],
  ['a connection reset', (request) => request.socket.destroy(), { outcome: 'unreachable' }],
])('sends a single request, and returns the outcome of %s', async (_, handler, expected) => {
  let requests = 0
  const url = await serve((...args) => {
    requests += 1
    handler(...args)
  })
  expect(await resolveIntent(url, {}, open())).toEqual(expected)
  expect(requests).toBe(1)
})

test.each<[string, object]>([
  [
    'a link that runs code',
    { network: { ...intent().network, explorer_url: 'javascript:alert(1)' } },
  ],
  ['a token that is no address', { token_address: '0x12' }],
  ['a recipient that is no address', { expected_wallet: `0x${'zz'.repeat(20)}` }],
  ['a reference of another length', { payment_reference: `0x${'ab'.repeat(31)}` }],
  ['a fraction of a unit', { amount_units: 0.5 }],
  ['a negative amount', { manual: { payable_amount_units: -1, payment_uri: '' } }],
  ['an amount that is not exact', { amount_units: 2 ** 53 }],
  ['no network', { network: null }],
  ['no date', { expires_at: 'soon' }],
  ['no status', { status: undefined }],
])('an intent with %s is refused', async (_, changes) => {
  const url = await serve(respondWith(200, { ...intent(), ...changes }))
  expect(await resolveIntent(url, {}, open())).toEqual({ outcome: 'faulty' })
})

test.each<[string, Partial<Intent>]>([
  ['another token', { token_address: `0x${'12'.repeat(20)}` }],
  ['USDC of another chain', { token_address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }],
  ['an unknown chain', { chain_id: 1 }],
  ['other decimals', { decimals: 2 }],
])('an intent over %s is an unknown token', async (_, changes) => {
  const url = await serve(respondWith(200, intent(changes)))
  expect(await resolveIntent(url, {}, open())).toEqual({ outcome: 'unknown_token' })
})

test.each(chains)('an intent over USDC on $name is resolved', async ({ chainId, usdc }) => {
  const fields = intent({ chain_id: chainId, token_address: usdc.toLowerCase() as Address })
  const url = await serve(respondWith(200, fields))
  expect(await resolveIntent(url, {}, open())).toMatchObject({ outcome: 'resolved' })
})

test('ends at once when the signal aborts', async () => {
  const interrupt = new AbortController()
  const url = await serve(() => interrupt.abort())
  const outcome = await resolveIntent(url, {}, interrupt.signal)
  expect(outcome).toEqual({ outcome: 'interrupted' })
  expect(await resolveIntent(url, {}, interrupt.signal)).toEqual(outcome)
})
