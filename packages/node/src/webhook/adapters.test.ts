import { once } from 'node:events'
import { connect } from 'node:net'
import type { Event } from '@payment-intents/contract'
import fastify from 'fastify'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { listen, receivers } from '../../test/testReceivers.ts'
import { body, event, secret, sign } from '../../test/testWebhook.ts'
import { webhookHandler } from './express.ts'
import { webhookRoute } from './fastify.ts'
import { bodyLimit } from './readBody.ts'

const json = { 'content-type': 'application/json' }
let handled: Event[] = []
let errors: unknown[] = []
const onEvent = async (event: Event) => {
  handled.push(event)
}
const options = { secret, onError: (error: unknown) => errors.push(error) }

beforeEach(() => {
  handled = []
  errors = []
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

function deliver(
  url: string,
  payload: string | Uint8Array<ArrayBuffer> | null,
  headers: Record<string, string>,
) {
  return fetch(url, { method: 'POST', body: payload, headers })
}

describe.each(receivers)('%s', (_name, start) => {
  test('passes on the event and responds 200', async () => {
    const url = await start(onEvent, options)
    const response = await deliver(url, body, { ...json, ...sign(body) })
    expect([response.status, await response.json()]).toEqual([200, { received: true }])
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect([handled, errors]).toEqual([[event], []])
  })

  test('takes the body byte for byte', async () => {
    const url = await start(onEvent, options)
    const pretty = `${JSON.stringify(event, null, '\t')}\r\n`
    const response = await deliver(url, pretty, { ...json, ...sign(pretty) })
    expect([response.status, handled]).toEqual([200, [event]])
  })

  test.each(['application/json; charset=utf-8', 'text/plain', 'application/octet-stream', ''])(
    'takes it under the content type "%s"',
    async (type) => {
      const url = await start(onEvent, options)
      const bytes = new TextEncoder().encode(body) // Fetch sets no content type for bytes.
      const headers = type ? { 'content-type': type } : {}
      const response = await deliver(url, bytes, { ...headers, ...sign(body) })
      expect([response.status, handled]).toEqual([200, [event]])
    },
  )

  test('responds only after the handler is done', async () => {
    let open = () => {}
    const released = new Promise<void>((resolve) => {
      open = resolve
    })
    let done = false
    const url = await start(async (event) => {
      handled.push(event)
      await released
      done = true
    }, options)
    let hasResponded = false
    const response = deliver(url, body, sign(body)).finally(() => {
      hasResponded = true
    })
    await until(() => expect(handled).toEqual([event]))
    // A complete second exchange: a response that did not wait would have arrived by now.
    expect((await deliver(url, body, {})).status).toBe(400)
    expect(hasResponded).toBe(false)
    open()
    expect([(await response).status, done]).toEqual([200, true])
  })

  test.each(failingHandlers('the database said: password=hunter2'))(
    'responds 500 without details when the handler %s',
    async (_how, fail) => {
      const url = await start(fail, options)
      const response = await deliver(url, body, sign(body))
      expect([response.status, await response.text()]).toEqual([500, '{"error":"handler_failed"}'])
      expect(errors).toEqual([new Error('the database said: password=hunter2')])
    },
  )

  test('responds 400 with the reason when the signature is wrong', async () => {
    const url = await start(onEvent, options)
    const response = await deliver(url, `${body} `, sign(body))
    expect(response.status).toBe(400)
    const code = 'signature_mismatch'
    const message = expect.stringContaining('the secret is that of this endpoint')
    expect(await response.json()).toEqual({ error: code, message })
    expect([handled, errors]).toEqual([[], [expect.objectContaining({ code, message })]])
  })

  test('responds 400 to a request that is not a delivery', async () => {
    const url = await start(onEvent, options)
    const response = await deliver(url, null, {})
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'header_missing', message: expect.any(String) },
    ])
  })

  test('passes its options on', async () => {
    const url = await start(onEvent, { ...options, mode: 'mainnet' })
    const response = await deliver(url, body, sign(body))
    expect([response.status, handled]).toEqual([400, []])
    expect(errors).toMatchObject([{ code: 'wrong_mode' }])
  })

  test('responds 500 with the reason when it has no secret', async () => {
    vi.stubEnv('PAYMENT_INTENTS_WEBHOOK_SECRET', undefined)
    const url = await start(onEvent, { ...options, secret: undefined })
    const response = await deliver(url, body, sign(body))
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: 'secret_missing', message: expect.stringContaining('or set PAYMENT_INTENTS') },
    ])
  })

  test('writes errors to the console by default', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {})
    const failure = new Error('the shop is closed')
    const url = await start(() => Promise.reject(failure), { secret })
    expect((await deliver(url, body, sign(body))).status).toBe(500)
    expect(print.mock.calls).toEqual([[failure]])
  })

  test.each(failingHandlers('the log is full'))(
    'responds the same when onError %s',
    async (_how, onError) => {
      const url = await start(() => Promise.reject(new Error('closed')), { secret, onError })
      const response = await deliver(url, body, sign(body))
      expect([response.status, await response.text()]).toEqual([500, '{"error":"handler_failed"}'])
    },
  )

  test('accepts a body of 1 MiB, and no longer body', async () => {
    const url = await start(onEvent, options)
    const filler = 'x'.repeat(bodyLimit - JSON.stringify({ ...event, filler: '' }).length)
    const longest = JSON.stringify({ ...event, filler })
    const excess = Buffer.byteLength(longest) - bodyLimit
    const fits = JSON.stringify({ ...event, filler: filler.slice(excess) })
    expect(Buffer.byteLength(fits)).toBe(bodyLimit)
    expect((await deliver(url, fits, sign(fits))).status).toBe(200)
    const tooLong = `${fits} `
    const refused = await deliver(url, tooLong, sign(tooLong))
    expect([refused.status, await refused.json()]).toEqual([
      413,
      { error: 'body_too_large', message: expect.any(String) },
    ])
    expect(errors).toMatchObject([{ code: 'body_too_large' }])
    expect(handled).toHaveLength(1)
  })

  test('refuses a longer body without a declared length', async () => {
    const url = await start(onEvent, options)
    const chunk = new Uint8Array(64 * 1024)
    const chunks = async function* () {
      for (let sent = 0; sent <= bodyLimit; sent += chunk.length) yield chunk
    }
    const request = { method: 'POST', body: ReadableStream.from(chunks()), headers: sign(body) }
    const response = await fetch(url, { ...request, duplex: 'half' })
    expect([response.status, handled]).toEqual([413, []])
    expect(errors).toMatchObject([{ code: 'body_too_large' }])
  })

  test('survives a sender that disconnects within the body', async () => {
    const url = new URL(await start(onEvent, options))
    const socket = connect(Number(url.port), url.hostname)
    const head = ['POST /webhooks HTTP/1.1', 'Host: shop', 'Content-Length: 100']
    socket.write([...head, 'Expect: 100-continue', '', ''].join('\r\n'))
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 100 Continue/)
    socket.write('{"half":')
    socket.resetAndDestroy()
    await until(() => expect(errors).toMatchObject([{ code: 'body_unreadable' }]))
    const response = await deliver(url.href, body, sign(body))
    expect([response.status, handled]).toEqual([200, [event]])
  })
})

test('on Fastify an invalid content type is reported like any other refusal', async () => {
  const [, start] = receivers.find(([name]) => name === 'Fastify') ?? expect.fail()
  const url = await start(onEvent, options)
  const response = await deliver(url, body, { 'content-type': 'weird', ...sign(body) })
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: 'body_unreadable' },
  ])
  expect(errors).toMatchObject([{ code: 'body_unreadable' }])
})

test('on Fastify the app handles an error of its own hooks', async () => {
  const app = fastify()
  app.addHook('preHandler', async () => {
    throw Object.assign(new Error('not so fast'), { statusCode: 429 })
  })
  app.register(webhookRoute('/webhooks', onEvent, options))
  const response = await app.inject({ method: 'POST', url: '/webhooks', body, headers: sign(body) })
  expect([response.statusCode, response.json()]).toMatchObject([429, { message: 'not so fast' }])
  expect(errors).toEqual([])
})

test('on Node.js a handler sends no response if the app has responded meanwhile', async () => {
  let done: Promise<void> | undefined
  const url = await listen((request, response) => {
    const timeOut = () => response.writeHead(503).end('took too long')
    done = webhookHandler(timeOut, options)(request, response)
  })
  const response = await deliver(url, body, sign(body))
  expect([response.status, await response.text()]).toEqual([503, 'took too long'])
  await expect(done).resolves.toBeUndefined()
})

function failingHandlers(message: string): [string, () => unknown][] {
  const fail = () => {
    throw new Error(message)
  }
  return [
    ['throws', fail],
    ['rejects', async () => fail()],
  ]
}

describe.each(receivers)('%s, with options that would be ignored', (_name, start) => {
  test.each<[unknown, string]>([
    [{ secrets: [secret] }, 'Unknown option `secrets`. Did you mean `secret`?'],
    [{ secret, tolerence: 5 }, 'Unknown option `tolerence`. Did you mean `tolerance`?'],
    [{ secret, on_error() {} }, 'Unknown option `on_error`. Did you mean `onError`?'],
    [secret, 'Pass options as an object, such as { secret: … }; received string.'],
    [null, 'received null.'],
  ])('%o: throws when it is created', async (options, message) => {
    const created = (async () => start(onEvent, options as never))()
    await expect(created).rejects.toMatchObject({ code: 'option_invalid' })
    await expect(created).rejects.toThrow(message)
  })
})
