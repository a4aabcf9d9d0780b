import { inspect } from 'node:util'
import { runInNewContext } from 'node:vm'
import { eventSchema, retrievedPaymentIntentSchema } from '@payment-intents/contract'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { body, event, secret, sign } from '../../../test/testWebhook.ts'
import { verifyWebhook, type WebhookOptions } from './verifyWebhook.ts'
import {
  isWebhookVerificationError,
  type WebhookVerificationError,
  type WebhookVerificationErrorCode,
} from './webhookVerificationError.ts'

const at = 1_900_000_000
const now = () => at * 1000
const headers = sign(body, { timestamp: at })
const otherSecret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`

afterEach(() => vi.unstubAllEnvs())

/** Accepts arguments that an untyped caller could pass. */
function verify(...[rawBody, headersInput, secrets, options]: unknown[]) {
  return verifyWebhook(rawBody as string, headersInput as Headers, secrets as string, {
    now,
    ...(options as WebhookOptions),
  })
}

async function refusal(...input: unknown[]): Promise<WebhookVerificationError> {
  const error = await verify(...input).then(
    () => expect.fail('it was accepted'),
    (error: unknown) => error,
  )
  if (!isWebhookVerificationError(error)) throw error
  return error
}

describe('a genuine delivery', () => {
  test('is the event, with fields unknown to this package', async () => {
    const later = { ...event, added: { later: true } }
    const text = JSON.stringify(later)
    expect(await verify(text, sign(text, { timestamp: at }), secret)).toEqual(later)
  })

  test('has the shape of the service’s events', () => {
    expect(eventSchema.parse(event)).toEqual(event)
    expect(retrievedPaymentIntentSchema.parse(event.data.object)).toEqual(event.data.object)
  })

  test('of an unknown type is accepted', async () => {
    const text = JSON.stringify({ ...event, type: 'payment_intent.refunded' })
    const verified = await verify(text, sign(text, { timestamp: at }), secret)
    expect(verified.type).toBe('payment_intent.refunded')
  })

  const bytes = new TextEncoder().encode(body)
  const padded = Buffer.concat([Buffer.from('xx'), bytes])
  test.each<[string, unknown]>([
    ['text', body],
    ['a Buffer', Buffer.from(body)],
    ['a Uint8Array', bytes],
    ['an ArrayBuffer', bytes.buffer],
    ['part of a larger buffer', padded.subarray(2)],
    ['a DataView', new DataView(bytes.buffer)],
    ['a buffer of another realm', runInNewContext('Uint8Array.from(bytes)', { bytes })],
    [
      'an ArrayBuffer of another realm',
      runInNewContext('Uint8Array.from(bytes).buffer', { bytes }),
    ],
  ])('is accepted as %s', async (_name, rawBody) => {
    expect(await verify(rawBody, headers, secret)).toEqual(event)
  })

  const shouted = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  )
  test.each<[string, unknown]>([
    ['Fetch Headers', new Headers(headers)],
    ['a record', headers],
    ['names in capitals', shouted],
    [
      'a list of values each',
      Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, [v]])),
    ],
    ['a null prototype', Object.assign(Object.create(null), headers)],
  ])('is accepted with headers as %s', async (_name, headersInput) => {
    expect(await verify(body, headersInput, secret)).toEqual(event)
  })

  test('may carry signatures of other secrets and other versions', async () => {
    const other = sign(body, { timestamp: at, secret: otherSecret })['webhook-signature']
    const validSignature = headers['webhook-signature']
    const signature = `v1a,${'x'.repeat(86)} v2,abc ${other} v1,broken ${validSignature}`
    const headersInput = { ...headers, 'webhook-signature': signature }
    expect(await verify(body, headersInput, secret)).toEqual(event)
  })
})

describe('the secret', () => {
  test.each([
    ['the first', [secret, otherSecret]],
    ['the last', [otherSecret, secret]],
  ])('may be %s of several', async (_name, secrets) => {
    expect(await verify(body, headers, secrets)).toEqual(event)
  })

  test('comes from the environment by default', async () => {
    vi.stubEnv('PAYMENT_INTENTS_WEBHOOK_SECRET', secret)
    expect(await verify(body, headers)).toEqual(event)
    expect(await refusal(body, headers, otherSecret)).toMatchObject({ code: 'signature_mismatch' })
  })

  test('may have lost its padding', async () => {
    expect(secret).toMatch(/=$/)
    expect(await verify(body, headers, secret.replace(/=+$/, ''))).toEqual(event)
  })

  test.each([24, 64])('may have %i bytes', async (length) => {
    const endpointSecret = `whsec_${Buffer.alloc(length, 9).toString('base64')}`
    expect(
      await verify(body, sign(body, { timestamp: at, secret: endpointSecret }), endpointSecret),
    ).toEqual(event)
  })

  test.each<[unknown, WebhookVerificationErrorCode, RegExp]>([
    [
      undefined,
      'secret_missing',
      /no webhook secret\. Pass .* or set PAYMENT_INTENTS_WEBHOOK_SECRET/,
    ],
    [null, 'secret_missing', /no webhook secret/],
    ['', 'secret_missing', /no webhook secret/],
    [[], 'secret_missing', /list of webhook secrets is empty/],
    [[secret, undefined], 'secret_missing', /no webhook secret 2 of 2/],
    ['sk_test_0123456789abcdef', 'secret_invalid', /is an API key/],
    ['pi_01_secret_0123456789', 'secret_invalid', /is a payment intent's client secret/],
    [secret.slice('whsec_'.length), 'secret_invalid', /does not start with whsec_/],
    [`${secret}\n`, 'secret_invalid', /has white space around it/],
    [`"${secret}"`, 'secret_invalid', /has quotes around it/],
    [`whsec_${'-'.repeat(44)}`, 'secret_invalid', /not whsec_ followed by base64/],
    [`whsec_${Buffer.alloc(23).toString('base64')}`, 'secret_invalid', /not of 24 to 64 bytes/],
    [`whsec_${Buffer.alloc(65).toString('base64')}`, 'secret_invalid', /not of 24 to 64 bytes/],
    [[otherSecret, 'sk_live_1'], 'secret_invalid', /webhook secret 2 of 2 is an API key/],
    [5, 'secret_invalid', /of type number rather than text/],
  ])('%j is %s', async (headersInput, code, message) => {
    vi.stubEnv('PAYMENT_INTENTS_WEBHOOK_SECRET', undefined)
    const error = await refusal(body, headers, headersInput)
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
    for (const text of [headersInput].flat()) {
      if (typeof text !== 'string' || text === '') continue
      expect(inspect(error, { showHidden: true })).not.toContain(text.trim())
    }
  })
})

describe('the body', () => {
  const detached = new ArrayBuffer(8)
  structuredClone(detached, { transfer: [detached] })
  test.each<[string, unknown, RegExp]>([
    ['an event', event, /an object \(the body was parsed before\) was passed/],
    ['a list', [event], /parsed before/],
    ['undefined', undefined, /undefined \(was it read or parsed before\?\)/],
    ['null', null, /null \(was it read/],
    ['a promise', Promise.resolve(body), /a promise \(await it\)/],
    ['a request', new Request('http://127.0.0.1', { method: 'POST', body }), /a Request \(read it/],
    ['a stream', new Response(body).body, /a ReadableStream \(read it/],
    ['a number', 7, /a number/],
    ['a detached buffer', detached, /an object that is not text, Uint8Array or ArrayBuffer/],
  ])('%s is not raw; the error says how to get it', async (_name, rawBody, message) => {
    const error = await refusal(rawBody, headers, secret)
    expect(error).toMatchObject({ code: 'body_not_raw', message: expect.stringMatching(message) })
    for (const hint of ['express.raw(', "parseAs: 'buffer'", 'request.text()', 'c.req.text()']) {
      expect(error.message).toContain(hint)
    }
  })

  const changed = (fields: object) => JSON.stringify({ ...event, ...fields })
  test.each<[string | Uint8Array, string]>([
    ['', 'it is not JSON'],
    ['{', 'it is not JSON'],
    [Uint8Array.of(0x22, 0xff, 0x22), 'it is not JSON'],
    ['null', 'it is not an object'],
    ['[]', 'it is not an object'],
    [changed({ id: 5 }), 'id must be text'],
    [changed({ type: undefined }), 'type must be text'],
    [changed({ created_at: 'soon' }), 'created_at must be a date'],
    [changed({ mode: 'live' }), 'mode must be testnet or mainnet'],
    [changed({ sequence: 1.5 }), 'sequence must be an integer'],
    [changed({ data: null }), 'data.object must be an object'],
    [changed({ data: { object: [] } }), 'data.object must be an object'],
  ])('%j is signed, but is not an event', async (text, problem) => {
    const error = await refusal(text, sign(text, { timestamp: at }), secret)
    expect(error).toMatchObject({
      code: 'body_invalid',
      message: expect.stringContaining(`not an event: ${problem}.`),
    })
  })
})

describe('the headers', () => {
  const { 'webhook-id': _id, 'webhook-timestamp': _timestamp, ...signatureOnly } = headers
  test.each<[unknown, string]>([
    [{}, 'no webhook-id, webhook-timestamp and webhook-signature.'],
    [signatureOnly, 'no webhook-id and webhook-timestamp.'],
    [{ ...headers, 'webhook-signature': '' }, 'no webhook-signature.'],
    [new Headers(), 'no webhook-id, webhook-timestamp and webhook-signature.'],
    [{ 'svix-id': 'x', 'svix-timestamp': 'x', 'svix-signature': 'x' }, 'no webhook-id, '],
    [undefined, 'no webhook-id, '],
    ['webhook-id: x', 'no webhook-id, '],
  ])('%o lack one, and it is named', async (headersInput, message) => {
    expect(await refusal(body, headersInput, secret)).toMatchObject({
      code: 'header_missing',
      message: expect.stringContaining(message),
    })
  })

  const validSignature = headers['webhook-signature']
  test.each<[Partial<typeof headers>, string]>([
    [{ 'webhook-id': 'evt_1.5' }, 'webhook-id holds a character that no id has'],
    [{ 'webhook-id': 'evt 1' }, 'webhook-id holds a character that no id has'],
    [{ 'webhook-timestamp': 'yesterday' }, 'webhook-timestamp is not in Unix seconds'],
    [{ 'webhook-timestamp': `${at}.5` }, 'webhook-timestamp is not in Unix seconds'],
    [{ 'webhook-timestamp': `-${at}` }, 'webhook-timestamp is not in Unix seconds'],
    [
      { 'webhook-signature': validSignature.replace('v1', 'v1a') },
      'webhook-signature has no v1 signature',
    ],
    [{ 'webhook-signature': validSignature.slice(3) }, 'webhook-signature has no v1 signature'],
    [{ 'webhook-signature': 'v1,***' }, 'webhook-signature is not v1, followed by base64'],
    [{ 'webhook-signature': 'v1,AAAA '.repeat(9) }, 'more than 8 v1 signatures'],
  ])('%j have one that is malformed, and it is named', async (changed, message) => {
    expect(await refusal(body, { ...headers, ...changed }, secret)).toMatchObject({
      code: 'header_invalid',
      message: expect.stringContaining(message),
    })
  })
})

describe('the signature', () => {
  test('of another secret names the probable causes', async () => {
    const error = await refusal(body, headers, otherSecret)
    expect(error.code).toBe('signature_mismatch')
    expect(error.message).toMatch(
      /The signature was not made with the secret .*changed the body on its way/,
    )
  })

  test('of other secrets names the number of secrets', async () => {
    const signature = headers['webhook-signature']
    const headersInput = { ...headers, 'webhook-signature': `${signature} ${signature}` }
    const { message } = await refusal(body, headersInput, [otherSecret, otherSecret])
    expect(message).toMatch(/^None of the signatures was made with any of the 2 secrets/)
  })

  test('does not cover a body that was serialised again', async () => {
    const pretty = JSON.stringify(event, null, 2)
    const headersInput = sign(pretty, { timestamp: at })
    expect(await verify(pretty, headersInput, secret)).toEqual(event)
    expect(await refusal(body, headersInput, secret)).toMatchObject({ code: 'signature_mismatch' })
  })

  test('without Web Crypto is refused with advice', async () => {
    vi.stubGlobal('crypto', {})
    const error = await refusal(body, headers, secret).finally(() => vi.unstubAllGlobals())
    expect(error).toMatchObject({
      code: 'unsupported_runtime',
      message: expect.stringContaining('node environment'),
    })
  })
})

describe('the timestamp', () => {
  const verifyLater = (seconds: number, tolerance?: number) =>
    verify(body, headers, secret, { now: () => (at + seconds) * 1000, tolerance })
  const refuseLater = (seconds: number, tolerance?: number) =>
    refusal(body, headers, secret, { now: () => (at + seconds) * 1000, tolerance })

  test.each([-300, -1, 0, 1, 300])('may be %i s away', async (seconds) => {
    expect(await verifyLater(seconds)).toEqual(event)
  })

  test('may be as far away as the tolerance', async () => {
    expect(await verifyLater(3600, 3600)).toEqual(event)
    expect(await verifyLater(0, 0)).toEqual(event)
    expect(await refuseLater(1, 0)).toMatchObject({ code: 'timestamp_too_old' })
  })

  test('that is too old names its age, and the clock that is wrong', async () => {
    const error = await refuseLater(412)
    expect(error.code).toBe('timestamp_too_old')
    expect(error.message).toMatch(/signed 412 s ago, and 300 s are tolerated.*this machine is fast/)
  })

  test('from the future names the difference, and the clock that is wrong', async () => {
    const error = await refuseLater(-300.5)
    expect(error.code).toBe('timestamp_too_new')
    expect(error.message).toMatch(/signed 301 s in the future.*this machine is slow/)
  })

  test('is compared with the clock of this machine by default', async () => {
    const headersInput = sign(body)
    expect(await verifyWebhook(body, headersInput, secret)).toEqual(event)
    const old = sign(body, { timestamp: Math.floor(Date.now() / 1000) - 310 })
    await expect(verifyWebhook(body, old, secret)).rejects.toMatchObject({
      code: 'timestamp_too_old',
    })
  })
})

describe('the options', () => {
  test('refuse events of the other mode', async () => {
    expect(await verify(body, headers, secret, { mode: 'testnet' })).toEqual(event)
    expect(await refusal(body, headers, secret, { mode: 'mainnet' })).toMatchObject({
      code: 'wrong_mode',
      message: expect.stringMatching(/is of testnet, and this endpoint takes mainnet only/),
    })
  })

  test.each<[object, string]>([
    [{ tolerance: Number.NaN }, 'tolerance'],
    [{ tolerance: -1 }, 'tolerance'],
    [{ tolerance: Number.POSITIVE_INFINITY }, 'tolerance'],
    [{ tolerance: '300' }, 'tolerance'],
    [{ now: 5 }, 'now'],
    [{ now: () => Number.NaN }, 'now'],
    [{ now: () => new Date() }, 'now'],
    [{ mode: 'live' }, 'mode'],
  ])('%o is refused', async (options, name) => {
    expect(await refusal(body, headers, secret, options)).toMatchObject({
      code: 'option_invalid',
      message: expect.stringContaining(`options.${name} must be`),
    })
  })
})

test('an error prints as itself, as JSON too', async () => {
  const error = await refusal(body, {}, secret)
  const { name, code, message } = error
  expect(name).toBe('WebhookVerificationError')
  expect(JSON.parse(JSON.stringify(error))).toEqual({ name, code, message })
  expect(inspect(error)).toMatch(/^WebhookVerificationError: The request has no webhook-id/)
})
