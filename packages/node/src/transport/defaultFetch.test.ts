import { getEventListeners, once } from 'node:events'
import http, { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenInTest, type Reply, serve, text } from '../../test/stubServer.ts'
import { httpFetch, type Init } from './defaultFetch.ts'

async function fetchDefault(url: string, init: Partial<Init> = {}) {
  const { signal } = new AbortController()
  const fetched = await httpFetch(http, url, {
    ...{ method: 'POST', headers: new Headers(), body: '{}', signal },
    ...init,
  })
  return { ...fetched, text: await fetched.text() }
}

/** A server that counts connections. */
async function listen(respond: RequestListener) {
  const server = createServer(respond)
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  const { url } = await listenInTest(server)
  return { url, connections: () => connections }
}

describe('a request', () => {
  test('carries its method, headers and body, and requests plain text', async () => {
    const server = await serve(text(200, 'hello'))
    const headers = new Headers({ 'user-agent': 'a/1', 'accept-encoding': 'br' })
    const body = '{"name":"Zoë"}'
    expect(await fetchDefault(`${server.url}/v1/a?b=c%20d`, { headers, body })).toMatchObject({
      status: 200,
      text: 'hello',
    })
    const [request] = server.requests
    expect(request).toMatchObject({ target: 'POST /v1/a?b=c%20d', body })
    expect(request?.headers).toEqual({
      host: new URL(server.url).host,
      connection: 'keep-alive',
      'user-agent': 'a/1',
      'accept-encoding': 'identity',
      'content-length': String(Buffer.byteLength(body)),
    })
  })

  test('without a body has none', async () => {
    const server = await serve(text(200, ''))
    const { signal } = new AbortController()
    await httpFetch(http, server.url, { method: 'GET', headers: new Headers(), signal })
    expect(server.requests[0]).toMatchObject({ target: 'GET /', body: '' })
    expect(server.requests[0]?.headers).not.toHaveProperty('content-length')
  })

  test.each([
    ['content-length', '1'],
    ['transfer-encoding', 'chunked'],
  ])('whose end its caller disputes by %s is not sent', async (name, value) => {
    const server = await serve(text(200, ''))
    const headers = new Headers({ [name]: value })
    await expect(fetchDefault(server.url, { headers })).rejects.toBeInstanceOf(TypeError)
    expect(server.requests).toEqual([])
  })

  test('reaches a host that is an IPv6 address', async () => {
    const server = createServer((_, response) => response.end('six')).listen(0, '::1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    expect((await fetchDefault(`http://[::1]:${port}/`)).text).toBe('six')
  })

  test('is refused with the cause in the error', async () => {
    const { url, close } = await listenInTest(createTcpServer())
    await close()
    await expect(fetchDefault(url)).rejects.toMatchObject({
      name: 'TypeError',
      cause: { code: 'ECONNREFUSED' },
    })
  })
})

describe('a response', () => {
  test('is decoded across chunks, without a byte order mark', async () => {
    const bytes = Buffer.from('\uFEFF{"name":"Zoë€"}')
    const server = await listen(async (_, response) => {
      for (const byte of bytes) {
        await new Promise((resolve) => response.write(Buffer.of(byte), resolve))
      }
      response.end()
    })
    expect((await fetchDefault(server.url)).text).toBe('{"name":"Zoë€"}')
  })

  test('finds headers in any case, and joins headers of the same name', async () => {
    const server = await listen((_, response) => {
      response.writeHead(200, ['X-Request-ID', 'req_1', 'Via', 'one', 'VIA', '  two '])
      response.end()
    })
    const { headers } = await fetchDefault(server.url)
    expect(headers.get('x-request-id')).toBe('req_1')
    expect(headers.get('via')).toBe('one, two')
    expect(headers.get('retry-after')).toBeNull()
  })

  test('follows interim responses', async () => {
    const server = await listen((_, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' }, () => {
        response.writeHead(201, { 'x-request-id': 'req_1' }).end('done')
      })
    })
    const fetched = await fetchDefault(server.url)
    expect(fetched).toMatchObject({ status: 201, text: 'done' })
    expect(fetched.headers.get('link')).toBeNull()
  })

  test.each([204, 304])('of %i is empty', async (status) => {
    const server = await serve(text(status, '', { 'content-encoding': 'gzip' }))
    expect(await fetchDefault(server.url)).toMatchObject({ status, text: '' })
  })

  test('that switches protocols rejects, and ends the connection', async () => {
    const server = await listenInTest(
      createTcpServer((socket) => {
        socket.once('data', () => {
          socket.write(
            'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
          )
        })
      }),
    )
    await expect(fetchDefault(server.url)).rejects.toMatchObject({ name: 'TypeError' })
  })

  test('that redirects is not followed', async () => {
    const server = await serve(text(307, 'elsewhere', { location: '/elsewhere' }))
    expect(await fetchDefault(server.url)).toMatchObject({ status: 307, text: 'elsewhere' })
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    ['gzip', gzipSync('squeezed')],
    ['deflate', deflateSync('squeezed')],
  ])('that is %s without a request for it is read', async (coding, bytes) => {
    const server = await serve(encoded(coding, bytes))
    expect((await fetchDefault(server.url)).text).toBe('squeezed')
  })

  test.each([
    ['no gzip', Buffer.from('not squeezed')],
    ['gzip without its end', gzipSync('squeezed').subarray(0, -6)],
  ])('that is said to be gzip and is %s rejects', async (_name, bytes) => {
    const server = await serve(encoded('gzip', bytes))
    await expect(fetchDefault(server.url)).rejects.toBeInstanceOf(TypeError)
  })

  test('in an unknown encoding is returned unchanged', async () => {
    const bytes = brotliCompressSync('squeezed')
    const server = await serve(encoded('br', bytes))
    expect((await fetchDefault(server.url)).text).toBe(new TextDecoder().decode(bytes))
  })
})

describe('a connection', () => {
  test('is used again', async () => {
    const server = await listen((_, response) => response.end('x'.repeat(100_000)))
    for (let call = 0; call < 5; call += 1) await fetchDefault(server.url)
    // As with `fetch`, a second connection opens if a request starts before the client knows that the first is free.
    expect(server.connections()).toBeLessThanOrEqual(2)
  })

  test('that was kept and is reset fails the request like any other', async () => {
    const used = new Set<Socket>()
    const server = await listen(({ socket }, response) => {
      if (used.has(socket)) socket.resetAndDestroy()
      else response.end()
      used.add(socket)
    })
    const calls = async () => {
      for (let call = 0; call < 5; call += 1) await fetchDefault(server.url)
    }
    await expect(calls()).rejects.toMatchObject({
      name: 'TypeError',
      cause: { code: expect.stringMatching(/^(UND_ERR_SOCKET|ECONNRESET)$/) },
    })
  })
})

describe('an abort', () => {
  const reason = new Error('enough')
  const stallBody: Reply = (response) => response.writeHead(200).write('half of ')

  test('beforehand sends nothing', async () => {
    const server = await listen((_, response) => response.end())
    const signal = AbortSignal.abort(reason)
    await expect(fetchDefault(server.url, { signal })).rejects.toBe(reason)
    expect(server.connections()).toBe(0)
  })

  test('while there is no connection yet sends nothing', async () => {
    const controller = new AbortController()
    let requests = 0
    const server = await listen((_, response) => {
      requests += 1
      response.end()
    })
    const call = fetchDefault(server.url, { signal: controller.signal })
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    // This request arrives after the aborted request would, on the same connection or another.
    await fetchDefault(server.url)
    expect(requests).toBe(1)
  })

  test.each<[string, Reply]>([
    ['before the response', () => {}],
    ['in the middle of it', stallBody],
  ])('%s ends the connection', async (_name, reply) => {
    const controller = new AbortController()
    const server = await serve((response) => {
      reply(response)
      controller.abort(reason)
    })
    await expect(fetchDefault(server.url, { signal: controller.signal })).rejects.toBe(reason)
    await server.requests[0]?.closed
  })

  test('has no listener left after a response or a failure', async () => {
    const { signal } = new AbortController()
    const server = await serve(text(200, ''), (response) => response.destroy())
    await fetchDefault(server.url, { signal })
    await fetchDefault(server.url, { signal }).catch(() => {})
    expect(server.requests).toHaveLength(2)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

test('an exception of `request` fails the request', async () => {
  const cause = new Error('closed')
  const broken = {
    request() {
      throw cause
    },
  }
  const { signal } = new AbortController()
  const init = { method: 'GET', headers: new Headers(), signal }
  await expect(httpFetch(broken, 'http://127.0.0.1', init)).rejects.toBe(cause)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

function encoded(coding: string, bytes: Uint8Array): Reply {
  return (response) => response.writeHead(200, { 'content-encoding': coding }).end(bytes)
}
