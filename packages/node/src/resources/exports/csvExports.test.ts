import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { holdTimers } from '../../../../../tests/support/holdTimers.ts'
import { until } from '../../../../../tests/support/until.ts'
import { apiKey, json, type Reply, serve, text } from '../../../test/stubServer.ts'
import { createClient } from '../../createClient.ts'
import {
  isPaymentIntentsError,
  type PaymentIntentsError,
} from '../../errors/paymentIntentsError.ts'
import type { ReadOptions } from '../../options/clientOptions.ts'

const params = { what: 'transfers', created_after: '2030-01-01T00:00:00Z' } as const
const hour = 3_600_000

function csv(baseUrl: string, options: ReadOptions = {}): AsyncIterable<string> {
  return createClient({ apiKey, baseUrl }).exports.csv(params, options)
}

const head = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'Text/CSV; charset=utf-8', 'x-request-id': 'req_1' })

/** Sends the beginning of a file, then calls `then`. */
function beginning(then: (response: ServerResponse) => void = () => {}): Reply {
  return (response) => void head(response).write('id\r\ntr_1', () => then(response))
}

async function read(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

async function failure(pieces: AsyncIterable<string>) {
  let text = ''
  try {
    for await (const piece of pieces) text += piece
  } catch (error) {
    if (isPaymentIntentsError(error)) return { text, error: error as PaymentIntentsError }
    throw error
  }
  return expect.unreachable('the export succeeded')
}

describe('an export', () => {
  test('sends one request for each iteration', async () => {
    const bytes = Buffer.from('\uFEFFid\r\n"Zoë €"\r\n')
    const server = await serve(async (response) => {
      head(response)
      for (const byte of bytes) {
        await new Promise((resolve) => response.write(Buffer.of(byte), resolve))
      }
      response.end()
    })
    const pieces = csv(server.url)
    expect(server.requests).toEqual([])
    expect(await read(pieces)).toBe('id\r\n"Zoë €"\r\n')
    expect(await read(pieces)).toBe('id\r\n"Zoë €"\r\n')
    const target = 'GET /v1/export?what=transfers&created_after=2030-01-01T00%3A00%3A00Z'
    expect(server.requests).toMatchObject([
      { target, headers: { accept: 'text/csv, application/json' } },
      { target },
    ])
  })

  test('may be longer than any other response, and is read only as fast as the reader takes it', async () => {
    const megabyte = 'x'.repeat(1024 * 1024)
    const pieceCount = 1_000
    let sent = 0
    const server = await serve(async (response) => {
      head(response)
      const closed = new Promise((resolve) => response.once('close', resolve))
      while (sent < pieceCount && !response.destroyed) {
        sent += 1
        const drained = new Promise((resolve) => response.once('drain', resolve))
        if (!response.write(megabyte)) await Promise.race([drained, closed])
      }
      response.end()
    })
    let count = 0
    for await (const piece of csv(server.url)) {
      count += piece.length
      if (count > 40 * megabyte.length) break
    }
    await server.requests[0]?.closed
    expect(sent).toBeLessThan(pieceCount)
  })

  test('is requested again until it begins', async () => {
    const server = await serve(
      json(503, { error: 'internal_error' }, { 'retry-after': '0' }),
      text(200, 'id\r\n', { 'content-type': 'text/csv' }),
    )
    expect(await read(csv(server.url))).toBe('id\r\n')
    expect(server.requests).toHaveLength(2)
  })

  test.each<[string, Reply]>([
    ['is reset', beginning((response) => response.socket?.resetAndDestroy())],
    ['ends without its last chunk', beginning((response) => response.socket?.end())],
  ])('that %s on the way fails, and is not requested again', async (_, reply) => {
    const server = await serve(reply)
    const { error } = await failure(csv(server.url))
    expect(error).toMatchObject({ code: 'network_error', status: 200, requestId: 'req_1' })
    expect(error).toMatchObject({ attempts: 1, retryable: true })
    expect(error.message).toMatch(
      /broke off in the middle of its response .*is incomplete; repeating it is safe/,
    )
    expect(server.requests).toHaveLength(1)
  })

  test('that stalls fails after the timeout of a request', async () => {
    const clock = holdTimers(hour, hour)
    const server = await serve(beginning())
    const pieces = csv(server.url, { timeout: hour, deadline: 10 * hour })[Symbol.asyncIterator]()
    expect(await pieces.next()).toEqual({ done: false, value: 'id\r\ntr_1' })
    // No time limit runs while the reader takes no piece.
    expect(clock.held()).toEqual([])
    const next = failure({ [Symbol.asyncIterator]: () => pieces })
    await until(() => expect(clock.held()).toEqual([hour]))
    clock.runOut()
    const { error } = await next
    expect(error).toMatchObject({ code: 'timeout', attempts: 1 })
    expect(error.message).toMatch(/sent nothing for 3600000 ms in the middle of its response/)
    await server.requests[0]?.closed
  })

  test('applies its deadline only to its beginning', async () => {
    const clock = holdTimers(hour)
    const server = await serve(
      beginning(async (response) => {
        await until(() => expect(clock.held()).toEqual([2 * hour]))
        response.end('\r\n')
      }),
    )
    const text = await read(csv(server.url, { timeout: 2 * hour, deadline: hour }))
    expect(text).toBe('id\r\ntr_1\r\n')
  })

  test('ends with its signal, and with a reader that stops', async () => {
    const controller = new AbortController()
    const server = await serve(beginning())
    const pieces = csv(server.url, { signal: controller.signal })
    for await (const _ of pieces) break
    await server.requests[0]?.closed
    const aborted = failure(pieces)
    await until(() => expect(server.requests).toHaveLength(2))
    controller.abort()
    expect((await aborted).error.code).toBe('aborted')
    await server.requests[1]?.closed
  })

  test.each<[string, Reply, string, RegExp]>([
    ['JSON', json(200, {}), 'invalid_response', /is not text\/csv/],
    [
      'a page',
      text(200, '<html>', { 'content-type': 'text/html' }),
      'invalid_response',
      /is not text/,
    ],
    ['an error', json(403, { error: 'forbidden' }), 'forbidden', /^403 forbidden/],
  ])('that is %s fails', async (_, reply, code, message) => {
    const { url } = await serve(reply)
    const { text, error } = await failure(csv(url))
    expect([text, error.code]).toEqual(['', code])
    expect(error.message).toMatch(message)
  })

  test('sends nothing if its parameters are wrong', async () => {
    const server = await serve(json(200, {}))
    const client = createClient({ apiKey, baseUrl: server.url })
    const { error } = await failure(client.exports.csv({ what: 'payments' as 'refunds' }))
    expect(error).toMatchObject({ code: 'invalid_body', issues: [{ path: 'what' }] })
    expect(server.requests).toEqual([])
  })

  test('is read as a whole where `fetch` is a double without a stream', async () => {
    const headers = new Headers({ 'content-type': 'text/csv' })
    const double = async () => ({ status: 200, headers, body: {}, text: async () => 'id\r\n' })
    const fetch = double as unknown as typeof globalThis.fetch
    expect(await read(csv('http://localhost', { fetch }))).toBe('id\r\n')
  })
})
