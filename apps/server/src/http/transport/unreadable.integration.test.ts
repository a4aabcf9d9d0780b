import { connect } from 'node:net'
import { errorBodySchema } from '@payment-intents/contract'
import { describe, expect, test } from 'vitest'
import { until } from '../../../../../tests/support/until.ts'
import { serverOfFile } from '../../../test/support/database/fixtures.ts'
import {
  createIntent,
  createTestMerchant,
  type Json,
  resolveIntent,
  startTestServer,
} from '../../../test/support/server/testServer.ts'

const server = serverOfFile()

/** The server's response to these bytes before it closes the connection. */
async function send(bytes: string): Promise<string> {
  const { write, response } = open(server.url)
  write(bytes)
  return response
}

/** Opens a connection. `response` has all that the server sends before it closes the connection. */
function open(url: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  let response = ''
  socket.on('data', (text) => {
    response += text
  })
  // A connection that is closed with unread bytes may end in a reset.
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  return {
    write: (bytes: string) => void socket.write(bytes),
    response: closed.then(() => response),
  }
}

/** Parses a response. A second response would be a fault. */
function parsed(response: string): { status: number; headers: Headers; body: Json } {
  const [head = '', body = '', ...more] = response.split('\r\n\r\n')
  expect(more).toEqual([])
  const [status = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string])
  return {
    status: Number(status.split(' ')[1]),
    headers: new Headers(headers),
    body: body === '' ? null : JSON.parse(body),
  }
}

const resolve = '/v1/payment_intents/resolve'
const chunked = 'transfer-encoding: chunked\r\n'
const json = 'content-type: application/json\r\n'
const ofSize = (size: number) => `b: ${'x'.repeat(size)}\r\n`
const ofBody = (body: string) => `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

describe('an error that Node.js or Fastify finds has the usual response', () => {
  // Each case has the request line, the status, and the further headers.
  test.each<[string, string, number, string, 'any origin'?]>([
    ['no Host', 'GET /livez', 400, 'no host'],
    ['an expectation', 'GET /v1/events', 401, 'expect: more\r\n\r\n'],
    ['no method of HTTP', 'FOO /v1/events', 400, '\r\n', 'any origin'],
    ['a method of WebDAV', 'PROPFIND /v1/payment_intents', 405, '\r\n'],
    ['a method that Fastify checks', 'QUERY /v1/payment_intents', 400, ofBody('{}')],
    ['a wrong method', 'DELETE /v1/payment_intents', 405, '\r\n'],
    ['a wrong method, from a page', `PUT ${resolve}`, 405, `${json}${ofBody('{}')}`, 'any origin'],
    ['a path that is no UTF-8', 'GET /v1/%zz', 400, '\r\n'],
    ['nothing there', 'GET /v1/nothing', 404, '\r\n'],
    ['headers above the limit', `POST ${resolve}`, 400, `${ofSize(20_000)}\r\n`, 'any origin'],
    ['thrice above it', `POST ${resolve}`, 400, `${ofSize(60_000)}\r\n`, 'any origin'],
    ['a path above it', `GET /v1/${'x'.repeat(20_000)}`, 400, '\r\n', 'any origin'],
    [
      'a body above the limit',
      `POST ${resolve}`,
      400,
      json + ofBody('x'.repeat(2_000)),
      'any origin',
    ],
    ['no content type', `POST ${resolve}`, 400, ofBody('{}'), 'any origin'],
    ['another', `POST ${resolve}`, 400, `content-type: x/y\r\n${ofBody('{}')}`, 'any origin'],
    ['none at all', `POST ${resolve}`, 400, `content-type: x\r\n${ofBody('{}')}`, 'any origin'],
    ['a chunk without a size', `POST ${resolve}`, 400, `${json}${chunked}\r\nz\r\n`, 'any origin'],
    [
      'a length twice',
      `POST ${resolve}`,
      400,
      `content-length: 1\r\n${ofBody('{}')}`,
      'any origin',
    ],
  ])('%s', async (_, line, status, rest, readable) => {
    const host = rest === 'no host' ? '\r\n' : `host: a\r\n${rest}`
    const response = parsed(await send(`${line} HTTP/1.1\r\nconnection: close\r\n${host}`))
    expect(response.status).toBe(status)
    expect(errorBodySchema.safeParse(response.body).error).toBeUndefined()
    expect(response.headers.get('x-request-id')).toBe(response.body.request_id)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('access-control-allow-origin')).toBe(readable ? '*' : null)
    expect(response.headers.has('allow')).toBe(status === 405)
  })

  test('a HEAD has the same headers, and no body', async () => {
    const response = parsed(
      await send('HEAD /v1/nothing HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'),
    )
    expect(response).toMatchObject({ status: 404, body: null })
    expect(response.headers.get('x-request-id')).toBeTruthy()
  })

  test.each(['gzip', 'br', 'identity, gzip'])(
    'a body in %s says how to send it',
    async (coding) => {
      const head = `content-encoding: ${coding}\r\n${json}`
      const bytes = `POST ${resolve} HTTP/1.1\r\nconnection: close\r\nhost: a\r\n${head}${ofBody('\x1f')}`
      const { status, body } = parsed(await send(bytes))
      expect(status).toBe(400)
      expect(body.issues).toEqual([
        {
          path: '',
          message: 'the body is compressed: send it as it is, without the header Content-Encoding',
        },
      ])
    },
  )

  test('a path with a slash at the end is not found, and the response says what to do', async () => {
    const { apiKey } = await createTestMerchant(server.db)
    const headers = { authorization: `Bearer ${apiKey}` }
    const hint = 'Remove the slash at the end of the path, or pass the id that is missing there.'
    for (const path of [
      ...['/v1/payment_intents/', '/v1/payment_intents//receipt', '/v1/payment_intents/pi_1/'],
      ...['/v1/events/', '/v1/webhook_endpoints/', `${resolve}/`, '/livez/', '/openapi.json/'],
    ]) {
      const response = await server.request(path, { headers })
      expect(response.status, path).toBe(404)
      expect((await response.json()).message).toBe(`There is nothing at GET ${path}. ${hint}`)
    }
    expect((await (await server.request('/v1/nothing/')).json()).message).not.toContain('slash')
    const response = await server.request(`${resolve}/`, { method: 'POST' })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })
})

test('no error and no line of the log quotes a key that is in the wrong place', async () => {
  const { apiKey } = await createTestMerchant(server.db)
  const random = apiKey.replace(/^sk_test_/, '')
  const headers = { authorization: `Bearer ${apiKey}` }
  const request = async (path: string, init: RequestInit = {}) =>
    (await server.request(path, { ...init, headers: { ...headers, ...init.headers } })).text()
  const create = (body: string) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    return request('/v1/payment_intents', init)
  }
  const responses = [
    ...[await request(`/v1/${random}`), await request(`/v1/payment_intents/${random}`)],
    ...[await request(`/v1/events/${random}/`), await request(`/v1/events?${random}=1`)],
    ...[await request(`/v1/events?a=${random}`), await request(`/v1/${'x'.repeat(560)}/${random}`)],
    ...[
      await create(random),
      await create(`{"${random}":1}`),
      await create(`{"chain":"${random}"}`),
    ],
    await create(`{"${random}":1,"${random}":1}`),
  ]
  for (const text of [...responses, ...server.logs]) {
    for (const part of [random.slice(0, 20), random.slice(-20)]) expect(text).not.toContain(part)
  }
  expect(responses.join()).toContain('…')
})

test('a request in progress is served while the server closes, and its connection is closed', async () => {
  const stopping = new AbortController()
  const closing = await startTestServer({ stopping })
  const begun = {
    readable: open(closing.url),
    refused: open(closing.url),
    unreadable: open(closing.url),
  }
  const head = 'GET /openapi.json HTTP/1.1\r\nhost: a\r\n'
  begun.readable.write(head)
  begun.refused.write('GET /v1/events HTTP/1.1\r\nhost: a\r\n')
  begun.unreadable.write('GET /v1/%zz HTTP/1.1\r\nhost: a\r\n')
  // By now the server has read the earlier bytes.
  await closing.request('/livez')
  const closed = closing.close()
  await until(() => expect(closing.request('/livez')).rejects.toThrow())
  for (const { write } of Object.values(begun)) write('\r\n')

  const readable = parsed(await begun.readable.response)
  expect([readable.status, readable.headers.get('connection')]).toEqual([200, 'close'])
  expect(readable.headers.get('access-control-allow-origin')).toBe('*')
  for (const [connection, status] of [
    [begun.refused, 401],
    [begun.unreadable, 400],
  ] as const) {
    const { headers, body, ...response } = parsed(await connection.response)
    expect(response.status).toBe(status)
    expect(headers.get('connection')).toBe('close')
    expect(headers.get('x-request-id')).toBe(body.request_id)
  }
  await closed
})

test('half a request gets a response when its time is over, before a resolve that is held for 25 s', async () => {
  const { client_secret } = await createIntent(server, (await createTestMerchant(server.db)).apiKey)
  const head =
    'POST /v1/payment_intents/resolve HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n'
  const half = send(`${head}Content-Length: 9\r\n\r\n{"cl`)
  const pending = resolveIntent(server, client_secret, { after_version: 1, wait_seconds: 25 })
  const first = await Promise.race([half, pending.then(() => null)])
  expect(first).toContain('400 Bad Request')
  expect(first).toContain('the request did not come in as a whole in time')
})
