import { redactBody } from '@payment-intents/contract/redact'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { holdTimers } from '../../../../tests/support/holdTimers.ts'
import { apiKey, intent, json, type Reply, serve, text } from '../../test/stubServer.ts'
import { printed } from '../../test/testSecrets.ts'
import { createClient } from '../createClient.ts'

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No wait between attempts.
})

async function printedFailure(baseUrl: string, fetch?: typeof globalThis.fetch): Promise<string> {
  const logged: unknown[] = []
  const log = (...entry: unknown[]) => logged.push(entry)
  const client = createClient({
    ...{ apiKey, baseUrl, fetch, timeout: 3_600_000, deadline: 36_000_000, maxRetries: 1 },
    logger: { debug: log, warn: log },
    onRetry: log,
  })
  const error = await client.createPaymentIntent({ amount_units: 1 }).catch((error) => error)
  expect(error).toBeInstanceOf(Error)
  expect(logged.length).toBeGreaterThan(0)
  return printed(error) + printed(logged) + printed(client)
}

const stall: Reply = () => {}
const echo = { error: 'internal_error', message: `Bearer ${apiKey}`, echoed: [{ deep: [apiKey] }] }
const misshapen = { ...intent, amount_units: 'much' }
const webhookSecret = `whsec_${Buffer.from('+top/secret=?>>>???0123456789').toString('base64')}`

describe('no secret is printed', () => {
  test.each<[string, Reply]>([
    ['an error that echoes the key', json(500, echo, { 'x-request-id': apiKey })],
    ['text that echoes the key', text(404, `cannot serve ${apiKey}`)],
    ['an error that names the client secret', json(500, { message: intent.client_secret })],
    ['a redirect', text(302, '', { location: `http://127.0.0.1/${apiKey}` })],
    ['a content type that echoes the key', text(404, '', { 'content-type': apiKey })],
    ['a stall', stall],
    ['a reset', (response) => response.destroy()],
    ['a success of another shape', json(200, misshapen)],
    ['a success that is cut', text(200, JSON.stringify(intent).slice(0, -1))],
    ['a success that is cut within the secret', text(200, '{"client_secret":"pi_topsecret')],
  ])('by %s', async (_name, reply) => {
    const clock = holdTimers()
    const server = await serve((response) => {
      reply(response)
      if (reply === stall) clock.runOut()
    })
    const output = await printedFailure(server.url)
    expect(output).not.toContain(apiKey)
    expect(output).not.toContain('topsecret')
  })

  test.each<[string, Reply]>([
    ['an endpoint of another shape', json(200, { id: 7, secret: webhookSecret })],
    ['an endpoint with a secret of another shape', json(200, { id: 7, secret: 'topsecret' })],
    ['an endpoint that is cut', text(200, `{"secret":"${webhookSecret.slice(0, -8)}`)],
    ['an error that quotes it', json(500, { message: `cannot store ${webhookSecret}, so` })],
    ['an error that quotes it in JSON', json(500, { sql: [`{"secret":"${webhookSecret}"}`] })],
    ['an error that quotes it in a URL', text(502, `?s=${encodeURIComponent(webhookSecret)}&b`)],
  ])('of a webhook by %s', async (_name, reply) => {
    const server = await serve(reply)
    const logged: unknown[] = []
    const log = (...entry: unknown[]) => logged.push(entry)
    const logger = { debug: log, warn: log }
    const client = createClient({ apiKey, baseUrl: server.url, logger, onRetry: log })
    for (const call of [
      client.webhookEndpoints.create({ url: 'https://shop.example' }),
      client.webhookEndpoints.rotateSecret('we_01'),
    ]) {
      const error = await call.catch((error) => error)
      expect(error).toBeInstanceOf(Error)
      const output = printed([error, logged, client])
      expect(output).toContain('[webhook secret]')
      expect(output).not.toContain('topsecret')
      // Any part that is long enough to be useful.
      for (let at = 6; at + 8 < webhookSecret.length; at += 4) {
        expect(output).not.toContain(webhookSecret.slice(at, at + 8))
      }
    }
  })

  test('by a fetch whose errors hold the request', async () => {
    const output = await printedFailure('http://127.0.0.1', async (_url, init) => {
      const inner = Object.assign(new Error(`with ${apiKey}`), { config: init })
      throw Object.assign(new TypeError('failed', { cause: inner }), {
        request: init,
        code: apiKey,
      })
    })
    expect(output).toContain('failed')
    expect(output).not.toContain(apiKey)
  })

  test.each([undefined, null, 'a string', Symbol('x'), Object.create(null), [{}], () => {}])(
    'by a fetch that throws %s, which is a network_error like any other',
    async (thrown) => {
      const output = await printedFailure('http://127.0.0.1', () => Promise.reject(thrown))
      expect(output).toContain('network_error')
      expect(output).not.toContain(apiKey)
    },
  )

  test.each([`${apiKey}\n`, ` ${apiKey}`, `${apiKey}é`, `"${apiKey}"`])(
    'by a key that HTTP cannot carry: %j',
    (broken) => {
      let error: unknown
      try {
        createClient({ apiKey: broken, baseUrl: 'http://127.0.0.1' })
      } catch (caught) {
        error = caught
      }
      expect(error).toMatchObject({ code: 'api_key_invalid', attempts: 0 })
      expect(printed(error)).not.toContain(apiKey)
    },
  )

  test.each<[string, (bodyText: string) => Reply]>([
    [
      'a response of another shape',
      (bodyText) => text(200, bodyText.replace('"status"', '"state"')),
    ],
    ['a response that is cut', (bodyText) => text(200, bodyText.slice(0, -3))],
    ['an error that quotes it', (bodyText) => json(500, { message: bodyText })],
  ])('by the links of an intent that is retrieved, in %s', async (_, replyWith) => {
    const links = {
      page: 'https://pay.example.com/checkout/#pi_01_secret_topsecret',
      x402: 'https://pay.example.com/x402/pi_01_x402_topsecret',
    }
    const { client_secret: _secret, ...rest } = intent
    const server = await serve(replyWith(JSON.stringify({ ...rest, links })))
    const logged: unknown[] = []
    const log = (...entry: unknown[]) => logged.push(entry)
    const options = { apiKey, baseUrl: server.url, maxRetries: 0, onRetry: log }
    const client = createClient({ ...options, logger: { debug: log, warn: log } })
    const error = await client.paymentIntents.retrieve('pi_01').catch((error) => error)
    expect(error).toBeInstanceOf(Error)
    expect(printed([error, logged, client])).not.toContain('topsecret')
  })

  test('by a client secret in place of an id, which is not sent either', async () => {
    const server = await serve(json(200, intent))
    const logged: unknown[] = []
    const debug = (...entry: unknown[]) => logged.push(entry)
    const client = createClient({ apiKey, baseUrl: server.url, logger: { debug } })
    const error = await client.paymentIntents.retrieve(intent.client_secret).catch((error) => error)
    expect(error).toMatchObject({ code: 'invalid_body', attempts: 0 })
    expect(error.message).toContain('pass the id, which ends before _secret_')
    expect(printed([error, logged])).not.toContain('topsecret')
    expect(server.requests).toEqual([])
  })
})

test('the spellings of a response’s secrets are computed once, for any number of strings', () => {
  const encode = vi.spyOn(globalThis, 'btoa')
  onTestFinished(() => encode.mockRestore())
  const named = Array.from({ length: 16 }, (_, index) => ({ secret: `${index}`.padStart(40, 's') }))
  const encodingsFor = (strings: number) => {
    encode.mockClear()
    const lines = Array.from({ length: strings }, (_, index) => `line ${index}`)
    expect(redactBody({ named, lines: [...lines, named[7]?.secret] }, apiKey)).toMatchObject({
      lines: expect.arrayContaining([...lines, '[webhook secret]']),
    })
    return encode.mock.calls.length
  }
  encodingsFor(1) // The key's spellings are computed only the first time.
  expect(encodingsFor(1_000)).toBe(encodingsFor(1))
})
