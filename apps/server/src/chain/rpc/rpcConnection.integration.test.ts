import { createServer, type IncomingHttpHeaders } from 'node:http'
import { startDevChain } from '@payment-intents/testing'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { listenLocally } from '../../../../../tests/support/listenLocally.ts'
import { patience } from '../../../../../tests/support/patience.ts'
import { until } from '../../../../../tests/support/until.ts'
import { chainOfFile } from '../../../test/support/chain/chainServer.ts'
import { type Faults, startFaultProxy } from '../../../test/support/chain/faultProxy.ts'
import { refusals } from '../../../test/support/chain/refusals.ts'
import { ofTest } from '../../../test/support/database/fixtures.ts'
import { createRpc } from './rpc.ts'
import { type Connection, connect } from './rpcConnection.ts'
import { RpcError } from './rpcError.ts'
import { largeResponseBytes } from './rpcTransport.ts'

const key = 'k3yThatNobodyMayRead'
const text = z.string()

const chain = chainOfFile()
beforeAll(() => chain.mine(3))
const proxy = ofTest(
  () => startFaultProxy(chain.url, `/v2/${key}?token=${key}`),
  ({ shut }) => shut(),
)
let connection: Connection
beforeEach(() => {
  connection = connect(proxy.url, { timeoutMs: patience })
})

const rpc = () => createRpc(connection, [chain.token])

async function failure(work: Promise<unknown>): Promise<RpcError> {
  const error = await work.then(
    () => expect.fail('it answered'),
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(RpcError)
  return error
}

/** Everything that a logger could print of an error. */
function printed(error: Error): string {
  const fields = Object.getOwnPropertyNames(error).map((name) => String(Reflect.get(error, name)))
  return [...fields, error.cause, JSON.stringify(error)].join('\n')
}

const noHash = `0x${'0'.repeat(64)}` as const

test('simultaneous calls are one HTTP request', async () => {
  const { requests } = proxy
  await Promise.all([rpc().header('latest'), rpc().header(1n), rpc().transaction(noHash)])
  expect(requests).toEqual([
    ['eth_getBlockByNumber', 'eth_getBlockByNumber', 'eth_getTransactionByHash'],
  ])
})

test('a provider that allows few calls at once, or one, gets that many until it allows more', async () => {
  const requested: number[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const batch: unknown = JSON.parse(body)
    requested.push(Array.isArray(batch) ? batch.length : 1)
    response.setHeader('content-type', 'application/json')
    const error = { code: -32014, message: 'qwertz' }
    const responseTo = ({ id }: { id: number }) => ({ jsonrpc: '2.0', id, result: `0x${id}` })
    const refused = Array.isArray(batch) && batch.length > limit
    const responses = Array.isArray(batch)
      ? batch.map(responseTo)
      : responseTo(batch as { id: number })
    response.end(JSON.stringify(refused ? { jsonrpc: '2.0', id: null, error } : responses))
  })
  let limit = 3
  const { url, close } = await listenLocally(server)
  const small = connect(url)
  const ten = () =>
    Promise.all(Array.from({ length: 10 }, () => small.request('eth_chainId', [], text)))
  const first = await ten()
  expect(first).toEqual(Array.from({ length: 10 }, (_, index) => `0x${index + 1}`))
  requested.length = 0
  await ten()
  // The learned limits stay: nothing is refused a second time.
  expect(requested.every((questions) => questions <= 3)).toBe(true)
  limit = 1
  expect(await ten()).toHaveLength(10)
  requested.length = 0
  await ten()
  expect(requested).toEqual(Array(10).fill(1))
  // The limit may have been of bytes that strangers sent.
  limit = 100
  await untilRequested(4)
  await close()

  /** Sends calls until a batch of this size succeeds. */
  async function untilRequested(size: number): Promise<void> {
    for (let rounds = 0; !requested.includes(size); rounds += 1) {
      expect(rounds, 'it asks for more at once after a while').toBeLessThan(200)
      await ten()
    }
  }
})

test('calls refused because the response to their batch is too large are sent again', async () => {
  const batches: number[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const batch = [JSON.parse(body)].flat() as { id: number }[]
    batches.push(batch.length)
    response.setHeader('content-type', 'application/json')
    const error = { code: -32603, message: 'qwertz' }
    const responses = batch.map(({ id }, index) => {
      return index < 3 ? { jsonrpc: '2.0', id, result: `0x${id}` } : { jsonrpc: '2.0', id, error }
    })
    response.end(JSON.stringify(batch.length > 1 ? responses : responses[0]))
  })
  const { url, close } = await listenLocally(server)
  const limited = connect(url)
  const responses = Array.from({ length: 10 }, () =>
    limited.request('eth_getBlockByHash', [], text),
  )
  expect(await Promise.all(responses)).toEqual(responses.map((_, index) => `0x${index + 1}`))
  expect(batches).toEqual([10, 7, 4, 1])
  await close()
})

test('a response of more than 8 MiB is requested in parts, and a single call with such a response is refused', async () => {
  const batches: number[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const batch = [JSON.parse(body)].flat() as { id: number; params: [number] }[]
    batches.push(batch.length)
    response.setHeader('content-type', 'application/json')
    const responses = batch.map(({ id, params: [megabytes] }) => {
      return { jsonrpc: '2.0', id, result: ' '.repeat(megabytes * 1024 * 1024) }
    })
    response.end(JSON.stringify(batch.length > 1 ? responses : responses[0]))
  })
  const { url, close } = await listenLocally(server)
  const { request: call } = connect(url, { timeoutMs: patience })
  const sizes = [3, 3, 3, 9]
  const outcomes = await Promise.allSettled(sizes.map((size) => call('eth_call', [size], text)))
  expect(outcomes.map(({ status }) => status)).toEqual([...Array(3).fill('fulfilled'), 'rejected'])
  expect(outcomes[3]).toMatchObject({ reason: { fault: 'oversized' } })
  expect(batches).toEqual([4, 2, 2, 1, 1])
  const large = { alone: true, maxBytes: largeResponseBytes }
  expect(await call('eth_call', [9], text, large)).toHaveLength(9 * 1024 * 1024)
  await close()
})

test('a call whose response is too slow fails alone', async () => {
  const slow = connect(proxy.url, { timeoutMs: Math.ceil(patience / 60) })
  proxy.faults = {
    instead: (_, forward, [hash]) => (hash === noHash ? new Promise(() => {}) : forward()),
  }
  const current = (await rpc().header(1n)) ?? expect.fail('no block')
  const of = createRpc(slow, [chain.token])
  const calls = [
    of.header(1n),
    of.header(2n),
    of.headerByHash(noHash),
    of.headerByHash(current.hash),
  ]
  const outcomes = await Promise.allSettled(calls)
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
})

test('an endless response is given up', async () => {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    const chunk = ' '.repeat(1024 * 1024)
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', more)
    more()
  })
  const { url, close } = await listenLocally(server)
  const endless = connect(url, { timeoutMs: patience })
  const error = await failure(endless.request('eth_getLogs', [], text))
  expect(error).toMatchObject({ fault: 'range', message: expect.stringContaining('too large') })
  await close()
})

test('credentials of a URL are sent as such, and never logged', async () => {
  let authorization: string | undefined
  const server = createServer((request, response) => {
    authorization = request.headers.authorization
    response.writeHead(401).end()
  })
  const { port, close } = await listenLocally(server)
  const secret = connect(`http://user:${key}%3F@127.0.0.1:${port}`)
  const error = await failure(secret.request('eth_chainId', [], text))
  expect(authorization).toBe(`Basic ${Buffer.from(`user:${key}?`).toString('base64')}`)
  expect(printed(error)).not.toContain(key)
  await close()
})

test('a redirect, which could leave encryption, is not followed', async () => {
  const server = createServer((_, response) => {
    response.writeHead(307, { location: proxy.url }).end()
  })
  const { url, close } = await listenLocally(server)
  const error = await failure(connect(url).request('eth_chainId', [], text))
  expect(error.message).toContain('HTTP 307')
  expect(proxy.requests).toEqual([])
  await close()
})

describe('an error contains no part of a URL but its host', () => {
  const faults: Faults[] = [
    { page: 200 },
    { page: 429 },
    { page: 502 },
    { hang: true },
    { hangBody: true },
    { reset: true },
  ]
  test.each(faults)('with %j', async (fault) => {
    proxy.faults = fault
    const late = 'hang' in fault || 'hangBody' in fault
    const connection = connect(proxy.url, { timeoutMs: late ? 300 : patience })
    const error = await failure(connection.request('eth_chainId', [key], text))
    expect(printed(error)).not.toContain(key)
    expect(error.message).toContain(proxy.host)
    expect(error.fault).toBe(late ? 'timeout' : 'unavailable')
  })

  test('when nobody listens', async () => {
    await proxy.shut()
    const error = await failure(connection.request('eth_chainId', [], text))
    expect(printed(error)).not.toContain(key)
    expect(error.message).toContain('ECONNREFUSED')
  })

  test('when the provider quotes it', async () => {
    const server = createServer((_, response) => {
      const message = `invalid project id ${key} in ${proxy.url}`
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message } }))
    })
    const { url, close } = await listenLocally(server)
    const quoting = connect(`${url}/v2/${key}`)
    const error = await failure(quoting.request('eth_chainId', [], text))
    expect(printed(error)).not.toContain(key)
    expect(error.message).toContain('invalid project id')
    await close()
  })

  test.each(['ws', 'wss'])('over %s', async (protocol) => {
    await proxy.shut()
    const socket = connect(proxy.url.replace('http', protocol), { timeoutMs: patience })
    const error = await failure(socket.request('eth_chainId', [], text))
    expect(printed(error)).not.toContain(key)
    expect(error.message).toContain(proxy.host)
    const down = () => expect.fail('it was never up')
    const unwatched = socket.watchHeads?.({ head: down, down }) ?? expect.fail('no heads')
    expect(printed(await failure(unwatched))).not.toContain(key)
    socket.close()
  })
})

test('a missing response in a batch is no other call’s', async () => {
  proxy.faults = { leaveOut: true }
  const requested = [rpc().header(1n), rpc().header(2n), rpc().header(3n)]
  const [first, second, third] = await Promise.allSettled(requested)
  expect(first).toMatchObject({ value: { number: 1n } })
  expect(second).toMatchObject({ status: 'rejected' })
  expect(third).toMatchObject({ value: { number: 3n } })
})

test('a log that is returned twice is one transfer', async () => {
  const [payer, shop] = chain.accounts
  if (!payer || !shop) throw new Error('no accounts')
  await chain.pay({ from: payer.address, to: shop.address, amount: 5n })
  proxy.faults = { duplicateLogs: true }
  const topics = new Set([shop.address.toLowerCase() as `0x${string}`])
  const result = await rpc().transfers({ from: 0n, to: 'latest', topics })
  expect(result.filter(({ amount }) => amount === 5n)).toHaveLength(1)
})

test.each([{ maxBlocks: 2 }, { maxResults: 1 }])(
  'a refused range is distinguished from other errors: %j',
  async (faults) => {
    const [payer, shop] = chain.accounts
    if (!payer || !shop) throw new Error('no accounts')
    for (let i = 0; i < 3; i += 1)
      await chain.pay({ from: payer.address, to: shop.address, amount: 5n })
    proxy.faults = faults
    const topics = new Set([shop.address.toLowerCase() as `0x${string}`])
    const error = await failure(rpc().transfers({ from: 0n, to: 'latest', topics }))
    expect(error.fault).toBe('range')
  },
)

test.each(refusals)(
  'a refused range is distinguished from other errors in any wording: %s',
  async (_, code, words) => {
    proxy.faults = { refuseLogs: { blocks: 3, code, words } }
    const topics = new Set([noHash])
    const error = await failure(rpc().transfers({ from: 0n, to: 'latest', topics }))
    expect(error.fault).toBe('range')
  },
)

test('the handshake of a socket names the product, and sends the credentials of its URL as such', async () => {
  const handshakes: IncomingHttpHeaders[] = []
  const server = createServer()
  server.on('upgrade', ({ headers }, socket) => {
    handshakes.push(headers)
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  const { port, close } = await listenLocally(server)
  const secret = connect(`ws://user:${key}%3F@127.0.0.1:${port}`, { timeoutMs: patience })
  const error = await failure(secret.request('eth_chainId', [], text))
  expect(printed(error)).not.toContain(key)
  expect(handshakes).toMatchObject([
    {
      'user-agent': expect.stringMatching(/^payment-intents-server\/\d/),
      authorization: `Basic ${Buffer.from(`user:${key}?`).toString('base64')}`,
    },
  ])
  await close()
})

test('a socket has its own results, errors and heads, until it is released', async () => {
  const chain = await startDevChain({ blockTime: 0 })
  const socket = connect(chain.url.replace('http', 'ws'), { timeoutMs: patience })
  await chain.mine(2)
  const counts = Promise.all(['0x1', '0x2'].map((block) => headerOver(socket, block)))
  expect(await counts).toEqual(['0x1', '0x2'])
  const refusal = await failure(
    socket.request('eth_call', [{ to: chain.token, data: '0x1234' }], text),
  )
  expect(refusal.fault).toBe('reverted')
  let heads = 0
  const down: RpcError[] = []
  const watch = socket.watchHeads ?? expect.fail('no heads')
  const stop = await watch({ head: () => void heads++, down: (error) => void down.push(error) })
  await chain.mine(1)
  await until(() => expect(heads).toBeGreaterThan(0))
  stop()
  const before = heads
  await chain.mine(1)
  await headerOver(socket, '0x1')
  expect(heads).toBe(before)
  await watch({ head: () => {}, down: (error) => void down.push(error) })
  await chain.stop()
  await until(() => expect(down).toHaveLength(1))
  socket.close()
})

async function headerOver({ request: call }: Connection, block: string): Promise<string> {
  const params = [block, false]
  return (await call('eth_getBlockByNumber', params, z.object({ number: text }))).number
}

test('the next call reopens a broken socket', async () => {
  const chain = await startDevChain({ blockTime: 0 })
  const port = Number(new URL(chain.url).port)
  const socket = connect(chain.url.replace('http', 'ws'), { timeoutMs: patience })
  expect(await socket.request('eth_chainId', [], text)).toBe('0x14a34')
  await chain.stop()
  await failure(socket.request('eth_chainId', [], text))
  const secondChain = await startDevChain({ blockTime: 0, port })
  expect(await socket.request('eth_chainId', [], text)).toBe('0x14a34')
  socket.close()
  await secondChain.stop()
})
