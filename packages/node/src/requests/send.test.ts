import { getEventListeners } from 'node:events'
import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { type HeldTimers, holdTimers } from '../../../../tests/support/holdTimers.ts'
import { listenLocally } from '../../../../tests/support/listenLocally.ts'
import { until } from '../../../../tests/support/until.ts'
import { onHead } from '../../test/onHead.ts'
import { apiKey, intent, json, ok, type Reply, serve, text } from '../../test/stubServer.ts'
import { createClient } from '../createClient.ts'
import { isPaymentIntentsError, type PaymentIntentsError } from '../errors/paymentIntentsError.ts'
import type { CallOptions } from '../options/clientOptions.ts'

const params = { amount_units: 25_000_000 }

function create(baseUrl: string, options: CallOptions = {}) {
  return createClient({ apiKey, baseUrl }).createPaymentIntent(params, options)
}

async function failure(call: Promise<unknown>): Promise<PaymentIntentsError> {
  const error = await call.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error,
  )
  if (!isPaymentIntentsError(error)) throw error
  return error
}

const hour = 3_600_000
/** Timeouts that `holdTimers` holds. */
const longPoll = { timeout: hour, deadline: 10 * hour }

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No wait between attempts.
})

const internalError = json(500, { error: 'internal_error', message: 'Oops.', request_id: 'req_1' })
const conflict = { error: 'conflict', message: 'In flight.', reason: 'idempotency_key_in_flight' }
const stall: Reply = () => {}
const stallBody: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":')
}
/** Fires the timeout as soon as the client has received the sent part of the response. */
function stalls(stall: Reply, clock: HeldTimers): Reply {
  if (stall === stallBody) onHead(200, clock.runOut)
  return (response) => {
    stall(response)
    if (stall !== stallBody) clock.runOut()
  }
}
const reset: Reply = (response) => response.destroy()
const resetBody: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
  response.write('{"id":', () => response.destroy())
}

describe('attempts', () => {
  test.each<[string, Reply]>([
    ['500', internalError],
    ['HTML 502', text(502, '<html>Bad gateway</html>', { 'content-type': 'text/html' })],
    ['429 that says when', json(429, { error: 'rate_limited' }, { 'retry-after': '0' })],
    ['409 that says to retry', json(409, conflict, { 'x-should-retry': 'true' })],
    ['reset before headers', reset],
    ['reset in the body', resetBody],
  ])('a %s is retried with the same key and the same bytes', async (_name, fault) => {
    const server = await serve(fault, ok)
    expect(await create(server.url)).toEqual(intent)
    const [first, second, ...more] = server.requests
    expect(more).toEqual([])
    expect(first?.headers['idempotency-key']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
    expect(second?.body).toBe(JSON.stringify(params))
    expect(first?.body).toBe(second?.body)
  })

  test.each<[string, Reply]>([
    ['stalled headers', stall],
    ['a stalled body', stallBody],
  ])('%s end with the timeout, are retried, and leave no connection', async (_name, fault) => {
    const clock = holdTimers()
    const server = await serve(stalls(fault, clock), ok)
    expect(await create(server.url, longPoll)).toEqual(intent)
    expect(server.requests).toHaveLength(2)
    await server.requests[0]?.closed
  })

  test.each<[string, Reply, string]>([
    ['400', json(400, { error: 'invalid_body' }), 'invalid_body'],
    ['409 that says nothing', json(409, conflict), 'conflict'],
    ['429 that does not say when', text(429, ''), 'rate_limited'],
    [
      '500 that says not to',
      json(500, { error: 'internal_error' }, { 'x-should-retry': 'false' }),
      'internal_error',
    ],
    [
      '503 that requests a wait of an hour',
      text(503, '', { 'retry-after': '3600' }),
      'unexpected_status',
    ],
    ['200 with broken JSON', text(200, '{"id":'), 'invalid_response'],
    ['200 with nothing', text(200, ''), 'invalid_response'],
    ['200 of another shape', json(200, { ...intent, amount_units: '25' }), 'invalid_response'],
    ['redirect', text(307, '', { location: 'http://127.0.0.1:9/' }), 'unexpected_status'],
  ])('a %s is not retried', async (_name, fault, code) => {
    const server = await serve(fault)
    const error = await failure(create(server.url))
    expect(error).toMatchObject({ code, attempts: 1 })
    expect(server.requests).toHaveLength(1)
  })

  test.each<[string, Reply, string]>([
    ['500', internalError, 'internal_error'],
    ['HTML 502', text(502, '<html>Bad gateway</html>'), 'unexpected_status'],
    ['reset', reset, 'network_error'],
    ['reset in the body', resetBody, 'network_error'],
    ['stall', stall, 'timeout'],
    ['stalled body', stallBody, 'timeout'],
  ])('a lasting %s is given up after three attempts', async (_name, fault, code) => {
    const clock = holdTimers()
    const server = await serve(code === 'timeout' ? stalls(fault, clock) : fault)
    const error = await failure(create(server.url, longPoll))
    expect(error).toMatchObject({ code, attempts: 3, retryable: true })
    expect(error.idempotencyKey).toBe(server.requests[2]?.headers['idempotency-key'])
    expect(server.requests).toHaveLength(3)
  })

  test('the key is sent even without retries', async () => {
    const server = await serve(internalError)
    const error = await failure(create(server.url, { maxRetries: 0, idempotencyKey: 'order 7' }))
    expect(error.attempts).toBe(1)
    expect(server.requests[0]?.headers['idempotency-key']).toBe('order 7')
  })

  test('Retry-After is the minimum wait', async () => {
    const clock = holdTimers()
    const server = await serve(text(503, '', { 'retry-after': '60' }), ok)
    const call = create(server.url, longPoll)
    await until(() => expect(clock.held()).toEqual([60_000]))
    expect(server.requests).toHaveLength(1)
    clock.runOut()
    expect(await call).toEqual(intent)
  })

  test('a refused connection says where and why', async () => {
    const { url, close } = await listenLocally(createServer())
    await close()
    const error = await failure(create(url, { maxRetries: 0 }))
    expect(error.code).toBe('network_error')
    expect(error.message).toContain(`${url} could not be reached, or broke off (ECONNREFUSED)`)
    expect(error.cause).toMatchObject({ name: 'TypeError', cause: { code: 'ECONNREFUSED' } })
  })
})

describe('limits', () => {
  test('the deadline ends an attempt', async () => {
    const clock = holdTimers()
    const limits: number[] = []
    const server = await serve(() => {
      limits.push(...clock.held())
      clock.runOut()
    })
    const error = await failure(create(server.url, { timeout: 2 * hour, deadline: hour }))
    expect(error).toMatchObject({ code: 'timeout', attempts: 1 })
    expect(limits).toEqual([expect.toSatisfy((limit) => limit <= hour)])
    await server.requests[0]?.closed
  })

  test('an attempt that the deadline ends is the last, also when its timer ends early', async () => {
    const fetch = () => new Promise<Response>(() => {})
    // Node.js counts a timer from the start of the event loop's turn: this timer ends 50 ms early.
    const started = performance.now()
    while (performance.now() - started < 50);
    const error = await failure(create('http://127.0.0.1:1', { fetch, deadline: 200 }))
    expect(error).toMatchObject({ code: 'timeout', attempts: 1 })
  })

  test('a wait beyond the deadline does not begin', async () => {
    const server = await serve(text(503, '', { 'retry-after': '30' }))
    const error = await failure(create(server.url, { deadline: 10_000 }))
    expect(error).toMatchObject({ code: 'unexpected_status', status: 503, attempts: 1 })
  })

  test('a fetch that ignores its signal is bounded as well', async () => {
    const fetch = () => new Promise<Response>(() => {})
    const error = await failure(create('http://127.0.0.1:1', { fetch, timeout: 20, maxRetries: 1 }))
    expect(error).toMatchObject({ code: 'timeout', attempts: 2 })
  })

  const tooLong = Buffer.alloc(16 * 1024 * 1024 + 1, ' ')
  tooLong.write(JSON.stringify(intent), 1)
  const tooLongUnpacked = gzipSync(tooLong)

  describe.each([
    ['as usual', undefined],
    ['by fetch', globalThis.fetch],
  ])('of a response that is read %s:', (_, fetch) => {
    const call = (url: string) => create(url, { fetch, maxRetries: 0, ...longPoll })

    test.each<[string, Reply]>([
      ['a success', (response) => response.writeHead(200).end(tooLong)],
      ['an error', (response) => response.writeHead(502).end(tooLong)],
      [
        'one that is so only unpacked',
        (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(tooLongUnpacked),
      ],
    ])('%s of more than 16 MiB is a network_error', async (_, reply) => {
      const server = await serve(reply)
      const error = await failure(call(server.url))
      expect(error).toMatchObject({ code: 'network_error', attempts: 1, retryable: true })
      expect(error.message).toContain('(its response is longer than 16 MiB)')
    })

    test('an endless response is disconnected', async () => {
      const piece = Buffer.alloc(1024 * 1024)
      const server = await serve((response) => {
        const go = () => response.write(piece, (error) => error ?? go())
        go()
      })
      expect(await failure(call(server.url))).toMatchObject({ code: 'network_error' })
      await server.requests[0]?.closed
    })

    test('16 MiB are read', async () => {
      const server = await serve((response) => response.writeHead(200).end(tooLong.subarray(1)))
      expect(await call(server.url)).toEqual(intent)
    })
  })

  test('an abort in flight ends the call and the connection', async () => {
    const controller = new AbortController()
    const server = await serve(() => controller.abort(new Error('the shopper left')))
    const error = await failure(create(server.url, { signal: controller.signal }))
    expect(error).toMatchObject({ code: 'aborted', attempts: 1, retryable: false })
    expect(error.cause).toMatchObject({ message: 'the shopper left' })
    await server.requests[0]?.closed
  })

  test('an abort ends a back-off at once', async () => {
    const clock = holdTimers()
    const controller = new AbortController()
    const server = await serve(text(503, '', { 'retry-after': '60' }))
    const error = await failure(
      create(server.url, {
        signal: controller.signal,
        deadline: 90_000,
        onRetry: () => setImmediate(() => controller.abort()),
      }),
    )
    expect(error).toMatchObject({ code: 'aborted', attempts: 1 })
    expect(clock.held()).toEqual([])
  })

  test('an abort within onRetry counts', async () => {
    const controller = new AbortController()
    const server = await serve(text(503, '', { 'retry-after': '20' }))
    const { signal } = controller
    const onRetry = () => controller.abort()
    const error = await failure(create(server.url, { signal, deadline: 90_000, onRetry }))
    expect(error.code).toBe('aborted')
  })

  test('a signal that is aborted already sends nothing', async () => {
    const server = await serve(ok)
    const error = await failure(create(server.url, { signal: AbortSignal.abort() }))
    expect(error).toMatchObject({ code: 'aborted', attempts: 0 })
    expect(server.requests).toEqual([])
  })

  test('a signal is left without listeners', async () => {
    const { signal } = new AbortController()
    const clock = holdTimers()
    const server = await serve(internalError, () => clock.runOut(), ok)
    await create(server.url, { signal, ...longPoll })
    expect(server.requests).toHaveLength(3)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('observers', () => {
  test('onRetry and the logger receive each attempt’s facts', async () => {
    const server = await serve(internalError, ok)
    const reported: unknown[] = []
    await create(server.url, {
      onRetry: ({ attempt, error }) => reported.push(['retry', attempt, error.code]),
      logger: {
        debug: (message, { attempt, status }) => reported.push([message, attempt, status]),
        warn: (message, { code }) => reported.push([message, code]),
      },
    })
    expect(reported).toEqual([
      ['payment-intents: request', 1, 500],
      ['payment-intents: retry', 'internal_error'],
      ['retry', 1, 'internal_error'],
      ['payment-intents: request', 2, 200],
    ])
  })

  test('their exceptions and rejections do not affect the call', async () => {
    const server = await serve(internalError, ok)
    const fail = () => {
      throw new Error('the log is full')
    }
    const call = create(server.url, {
      onRetry: async () => fail(),
      logger: { debug: fail, warn: fail },
    })
    expect(await call).toEqual(intent)
  })
})

describe('errors', () => {
  test('carry the fields of the service’s error', async () => {
    const body = {
      error: 'invalid_body',
      message: 'The body is wrong.',
      issues: [{ path: 'chain', message: 'is unknown' }],
      extra: { extraField: true },
    }
    const server = await serve(json(400, body, { 'x-request-id': 'req_42' }))
    const error = await failure(create(server.url))
    expect(error).toMatchObject({ status: 400, requestId: 'req_42', issues: body.issues, body })
    expect(error.message).toBe(
      '400 invalid_body: The body is wrong. Fix the request as `issues` says; do not retry it unchanged. ' +
        'Issues: chain: is unknown. (request req_42)',
    )
  })

  test.each([
    ['wallet_invalid', 400],
    ['api_key_missing', 401],
    ['api_key_invalid', 401],
    ['merchant_not_found', 404],
    ['intent_not_found', 404],
    ['not_found', 404],
  ])('%s is recognised by its code', async (code, status) => {
    const server = await serve(json(status, { error: code }))
    const error = await failure(create(server.url))
    expect(error).toMatchObject({ code, status, retryable: false, body: { error: code } })
  })

  test.each<[string, Reply, unknown]>([
    ['an unknown code', json(404, { error: 'lost' }), { error: 'lost' }],
    ['a name of every object', json(404, { error: 'toString' }), { error: 'toString' }],
    ['a list', json(404, ['x']), ['x']],
    ['null', json(404, null), null],
    ['plain text', text(404, 'nothing here'), 'nothing here'],
    [
      'odd fields',
      json(404, { error: 5, issues: [7], reason: {} }),
      { error: 5, issues: [7], reason: {} },
    ],
  ])('%s is unexpected_status, with the body', async (_name, reply, body) => {
    const server = await serve(reply)
    const error = await failure(create(server.url))
    expect(error).toMatchObject({ code: 'unexpected_status', status: 404, body, issues: [] })
  })

  test('an unknown code is reported as such, not as the response of a proxy', async () => {
    const body = { error: 'method_not_allowed', message: '/v1/x does not take PATCH.' }
    const server = await serve(json(405, body))
    const error = await failure(create(server.url))
    expect(error).toMatchObject({ code: 'unexpected_status', status: 405, body })
    expect(error.message).toContain('405 unexpected_status: /v1/x does not take PATCH.')
    expect(error.message).toContain('method_not_allowed')
    expect(error.message).not.toContain('not from the service')
  })

  test('sentences of a message do not run together', async () => {
    const server = await serve(json(404, { error: 'lost', message: 'not found' }))
    const error = await failure(create(server.url))
    expect(error.message).toContain('404 unexpected_status: not found. The response is not from')
  })

  test('advice that the service’s message contains is not repeated', async () => {
    const advice = 'Check that the API key is complete, not revoked, and belongs to this server.'
    const message = `The API key is not valid. ${advice}`
    const server = await serve(json(401, { error: 'api_key_invalid', message }))
    const error = await failure(create(server.url))
    expect(error.message).toBe(`401 api_key_invalid: ${message}`)
  })

  test('a base URL that ends in /v1 is named as the fault', async () => {
    const message = 'There is nothing at POST /v1/v1/payment_intents.'
    const server = await serve(json(404, { error: 'not_found', message }))
    const error = await failure(create(`${server.url}/v1/`))
    expect(error.message).toBe(
      `404 not_found: ${message} Leave \`/v1\` out of baseUrl: the client adds it.`,
    )
    expect((await failure(create(server.url))).message).toContain('Check the id')
  })

  test('a wrong shape names the field', async () => {
    const server = await serve(json(200, { ...intent, amount_units: 0.5 }))
    const error = await failure(create(server.url))
    expect(error.issues).toEqual([
      { path: 'amount_units', message: 'must be an integer in units of 0.000001 USDC' },
    ])
    expect(error.message).toContain('amount_units')
  })
})
