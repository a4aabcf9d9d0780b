import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { holdTimers } from '../../../../tests/support/holdTimers.ts'
import { until } from '../../../../tests/support/until.ts'
import { type Fault, type FaultServerOptions, startFaultServer } from './faultServer.ts'

const intent = { id: 'pi_01', metadata: { note: 'naïve ☕' } }

async function start(options: Partial<FaultServerOptions> = {}) {
  const server = await startFaultServer({ upstream: { json: intent }, ...options })
  onTestFinished(() => server.stop())
  return server
}

type Sent = { path?: string; key?: string; body?: string; agent?: Agent; signal?: AbortSignal }

/** Requests with `node:http`: nothing is retried, followed or decoded. */
async function send(url: string, { path = '/', key, body = '', ...options }: Sent = {}) {
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  const outgoing = request(url + path, { method: 'POST', headers, ...options })
  // The body emits an error after the head as well.
  outgoing.on('error', () => {})
  const [response] = await once(outgoing.end(body), 'response')
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

async function failure(sending: Promise<unknown>): Promise<string> {
  const error = await sending.then(
    () => expect.unreachable('a response came'),
    (error: unknown) => error,
  )
  const { code, syscall = 'close' } = error as NodeJS.ErrnoException
  return `${syscall} ${code}`
}

test('without a plan the upstream’s bytes are unchanged', async () => {
  const upstream = await start()
  const server = await start({ upstream: `${upstream.url}/base/` })
  const response = await send(server.url, { path: '/v1?limit=1', key: 'order-1', body: '"ü"' })
  expect(response.status).toBe(200)
  expect(response.headers['content-type']).toBe('application/json')
  expect(response.body).toBe(JSON.stringify(intent))
  expect(upstream.requests).toEqual([
    {
      method: 'POST',
      path: '/base/v1?limit=1',
      idempotencyKey: 'order-1',
      userAgent: undefined,
      attempt: 1,
      body: '"ü"',
    },
  ])
})

test('an unreachable upstream causes a 502 that says so', async () => {
  const upstream = await startFaultServer({ upstream: { json: intent } })
  await upstream.stop()
  const server = await start({ upstream: upstream.url })
  const response = await send(server.url)
  expect(response.status).toBe(502)
  expect(response.body).toContain('ECONNREFUSED')
})

test('faults come in order, and none after the last', async () => {
  const server = await start({
    plan: [
      { type: 'error', code: 'conflict', reason: 'idempotency_key_in_flight', shouldRetry: true },
      { type: 'page', status: 503, retryAfter: new Date('2030-01-01T00:00:00Z') },
      { type: 'redirect', location: 'http://localhost/elsewhere' },
      { type: 'error', code: 'rate_limited', retryAfter: 7, shouldRetry: false },
    ],
  })
  const conflict = await send(server.url)
  expect(conflict).toMatchObject({ status: 409, headers: { 'x-should-retry': 'true' } })
  expect(JSON.parse(conflict.body)).toMatchObject({
    error: 'conflict',
    reason: 'idempotency_key_in_flight',
    request_id: conflict.headers['x-request-id'],
  })
  expect(await send(server.url)).toMatchObject({
    status: 503,
    headers: { 'content-type': 'text/html', 'retry-after': 'Tue, 01 Jan 2030 00:00:00 GMT' },
    body: expect.stringMatching(/^<html>/),
  })
  expect(await send(server.url)).toMatchObject({
    status: 307,
    headers: { location: 'http://localhost/elsewhere' },
  })
  expect(await send(server.url)).toMatchObject({
    status: 429,
    headers: { 'retry-after': '7', 'x-should-retry': 'false' },
  })
  expect(await send(server.url)).toMatchObject({ status: 200 })
})

test('a plan can be a function of the request, and change', async () => {
  const server = await start({
    plan: ({ attempt, path }) =>
      attempt === 1 || path === '/broken' ? { type: 'page', status: 500 } : { type: 'none' },
  })
  const status = async (sent: Sent) => (await send(server.url, sent)).status
  expect(await status({ key: 'a' })).toBe(500)
  expect(await status({ key: 'b' })).toBe(500)
  expect(await status({ key: 'a' })).toBe(200)
  expect(await status({ key: 'b', path: '/broken' })).toBe(500)
  expect(await status({ path: '/list' })).toBe(500)
  expect(await status({ path: '/list' })).toBe(200)
  server.setPlan([])
  expect(await status({ key: 'c' })).toBe(200)
  expect(server.requests.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 2, 1, 2, 1])
  expect([...server.idempotencyKeys]).toEqual(['a', 'b', 'c'])
})

test.each<[string, Fault, string | RegExp]>([
  ['a reset before the response', { type: 'reset', at: 'headers' }, 'read ECONNRESET'],
  ['a reset in the body', { type: 'reset', at: 'body' }, 'close ECONNRESET'],
  ['a body cut short of its length', { type: 'truncate', framing: 'length' }, 'close ECONNRESET'],
  ['a body without its last chunk', { type: 'truncate', framing: 'chunked' }, 'close ECONNRESET'],
  ['no HTTP', { type: 'not_http' }, /^close HPE_/],
])('%s breaks the request and closes its connection', async (_name, fault, code) => {
  const server = await start({ plan: [fault] })
  expect(await failure(send(server.url))).toMatch(code)
  await until(() => expect(server.sockets()).toEqual({ open: 0, busy: 0 }))
})

test.each<[string, Fault]>([
  ['in the headers', { type: 'stall', at: 'headers' }],
  ['in the body', { type: 'stall', at: 'body' }],
])('a stall %s holds the connection until the client closes it', async (_name, fault) => {
  const server = await start({ plan: [fault] })
  const leaving = new AbortController()
  const stalled = failure(send(server.url, { signal: leaving.signal }))
  await until(() => expect(server.requests).toHaveLength(1))
  expect(server.sockets()).toEqual({ open: 1, busy: 1 })
  leaving.abort()
  await stalled
  await until(() => expect(server.sockets()).toEqual({ open: 0, busy: 0 }))
})

test('an unsolicited response follows the error', async () => {
  const server = await start({ plan: [{ type: 'unsolicited_response', json: { id: 'pi_02' } }] })
  const { port } = new URL(server.url)
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n')
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk
  })
  await until(() =>
    expect(received).toMatch(/^HTTP\/1.1 500 .*internal_error.*HTTP\/1.1 200 .*pi_02/s),
  )
})

test.each<[string, Fault, (body: string) => boolean]>([
  ['half a JSON', { type: 'broken_json' }, (body) => body.startsWith('{"id":')],
  ['JSON of no endpoint', { type: 'wrong_shape' }, (body) => body === '{"unexpected":true}'],
  ['no gzip', { type: 'broken_gzip' }, (body) => body === 'this is no gzip'],
])('a 200 with %s is a complete response', async (_name, fault, holds) => {
  const server = await start({ plan: [fault] })
  const { status, body } = await send(server.url)
  expect(status).toBe(200)
  expect(body).toSatisfy(holds)
})

test('a late response, and a response byte by byte, are complete', async () => {
  const plan: Fault[] = [
    { type: 'delay', milliseconds: 60_000 },
    { type: 'trickle', milliseconds: 1 },
  ]
  const server = await start({ plan })
  const clock = holdTimers()
  let hasResponded = false
  const late = send(server.url).finally(() => {
    hasResponded = true
  })
  await until(() => expect(clock.held()).toEqual([60_000]))
  expect(hasResponded).toBe(false)
  clock.runOut()
  expect((await late).body).toBe(JSON.stringify(intent))
  expect((await send(server.url)).body).toBe(JSON.stringify(intent))
})

test('the upstream receives only committed requests', async () => {
  const upstream = await start()
  const faults: Fault[] = [
    { type: 'reset', at: 'headers' },
    { type: 'reset', at: 'body' },
    { type: 'page', status: 502 },
    { type: 'truncate', framing: 'chunked' },
  ]
  const plan = faults.flatMap((fault) => [fault, { ...fault, committed: true } as Fault])
  const server = await start({ upstream: upstream.url, plan })
  for (const [index] of plan.entries())
    await send(server.url, { path: `/${index}` }).catch(() => {})
  expect(upstream.requests.map(({ path }) => path)).toEqual(['/1', '/3', '/5', '/7'])
})

test('an idle connection is the client’s to close', async () => {
  const server = await start()
  const agent = new Agent({ keepAlive: true })
  await send(server.url, { agent })
  const { headers } = await send(server.url, { agent })
  expect(headers.connection).toBe('keep-alive')
  // Fires if the server closes it.
  expect(headers).not.toHaveProperty('keep-alive')
  expect(server.sockets()).toEqual({ open: 1, busy: 0 })
  agent.destroy()
  await until(() => expect(server.sockets().open).toBe(0))
})

test('a stop destroys open connections and frees the port', async () => {
  const server = await startFaultServer({
    upstream: { json: intent },
    plan: [{ type: 'stall', at: 'headers' }],
  })
  const stalled = failure(send(server.url))
  await until(() => expect(server.requests).toHaveLength(1))
  await server.stop()
  expect(await stalled).toMatch('ECONNRESET')
  expect(await failure(send(server.url))).toBe('connect ECONNREFUSED')
  const port = Number(new URL(server.url).port)
  expect((await start({ port })).url).toBe(server.url)
})
