import { limits } from '@payment-intents/contract'
import { beforeEach, describe, expect, test } from 'vitest'
import { isFull } from '../../../../../tests/support/tier.ts'
import { anotherServer, serverOfFile } from '../../../test/support/database/fixtures.ts'
import { expectError, merchantApi } from '../../../test/support/server/merchantApi.ts'
import {
  createIntent,
  createTestMerchant,
  post,
  resolveIntent,
  type TestResponse,
  type TestServer,
} from '../../../test/support/server/testServer.ts'
import { newApiKey } from '../../lib/crypto/apiKey.ts'

const path = '/v1/payment_intents/resolve'
const anHour = 3_600_000

/** Counts the statements that read the owners of keys. */
function countLookups(server: TestServer): () => number {
  let count = 0
  const query = server.db.pool.query.bind(server.db.pool) as (...args: unknown[]) => unknown
  server.db.pool.query = ((...args: unknown[]) => {
    if ((args[0] as { name?: string }).name === 'find-owners') count += 1
    return query(...args)
  }) as never
  return () => count
}

/** The server of all tests that set no limits. */
const ample = serverOfFile()

describe('resolve, which anyone may call,', () => {
  test('accepts 1 KiB, and says so', async () => {
    const body = (length: number) => JSON.stringify({ client_secret: 'x' }).padEnd(length)
    await expectError(await post(ample, path, body(1024)), 404, 'intent_not_found')
    const refused = await post(ample, path, body(1025))
    const { issues } = await expectError(refused, 400, 'invalid_body')
    expect(issues).toEqual([{ path: '', message: 'the request body is larger than 1 KiB' }])
  })

  test('counts an address before it reads the body', async () => {
    const server = await anotherServer({ addressLimit: { max: 5, windowMs: anHour } })
    const { apiKey } = await createTestMerchant(server.db)
    const { client_secret } = await createIntent(server, apiKey)
    for (let sent = 0; sent < 5; sent += 1) await resolveIntent(server, client_secret)
    // The response does not wait for a body that never arrives.
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{')) }),
      duplex: 'half',
    } as RequestInit)
    await expectError(response, 429, 'rate_limited')
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect((await createIntent(server, apiKey)).status).toBe('requires_payment')
  })
})

test('pages with a session count for their address, and pages without a session cost nothing', async () => {
  const server = await anotherServer({ addressLimit: { max: 3, windowMs: anHour } })
  const request = (headers: Record<string, string> = {}) =>
    server.request(`/checkout/pi_${'0'.repeat(30)}`, { headers })
  const cookie = `checkout_session=${'x'.repeat(32)}`
  const statuses: number[] = []
  for (let requested = 0; requested < 5; requested += 1)
    statuses.push((await request({ cookie })).status)
  expect(statuses).toEqual([200, 200, 200, 429, 429])
  expect((await request()).status).toBe(200)
})

describe('forged API keys', () => {
  let server: TestServer
  let apiKey: string
  let lookups: () => number

  beforeEach(async () => {
    server = await anotherServer({ keyLimit: { max: 20, windowMs: anHour } })
    apiKey = (await createTestMerchant(server.db)).apiKey
    lookups = countLookups(server)
  })
  const read = (key: string) => merchantApi(server, key).get('/v1/payment_intents')

  test('cost little in any number, and a key that was valid before continues', async () => {
    expect((await read(apiKey)).status).toBe(200)
    const forged = await Promise.all(
      Array.from({ length: isFull ? 500 : 100 }, () => read(newApiKey('testnet'))),
    )
    const statuses = new Set(forged.map(({ status }) => status))
    expect([...statuses].sort()).toEqual([401, 429])
    const refused = forged.find(({ status }) => status === 429) as TestResponse
    await expectError(refused, 429, 'rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    // One lookup is for the valid key, and some were requested while the twentieth was in progress.
    expect(lookups()).toBeLessThan(30)
    expect((await read(apiKey)).status).toBe(200)
  })

  test('are not confused with a new key in many concurrent requests', async () => {
    const responses = await Promise.all(
      Array.from({ length: isFull ? 300 : 100 }, () => read(apiKey)),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('cost nothing when they are repeated', async () => {
    const forged = newApiKey('testnet')
    for (let sent = 0; sent < 20; sent += 1) {
      await expectError(await read(forged), 401, 'api_key_invalid')
    }
    expect(lookups()).toBe(1)
    await expectError(await read(forged), 429, 'rate_limited')
  })
})

describe('a response is small for any request:', () => {
  const limit = 8 * 1024

  test.each([
    ['thousands of unknown keys', Object.fromEntries(manyKeys(4_000, 8))],
    ['a few very long keys', Object.fromEntries(manyKeys(3, 20_000))],
    ['a long key twice', `{"${'k'.repeat(30_000)}":1,"${'k'.repeat(30_000)}":1}`],
    ['a long value', { chain: 'x'.repeat(60_000), amount_units: 1 }],
    ['brackets', '['.repeat(60_000)],
  ])('%s', async (_, body) => {
    const { apiKey } = await createTestMerchant(ample.db)
    const api = merchantApi(ample, apiKey)
    const sent = typeof body === 'string' ? body : JSON.stringify(body)
    expect(sent.length).toBeLessThanOrEqual(limits.requestBytes)
    for (const url of ['/v1/payment_intents', '/v1/webhook_endpoints', '/v1/transfers/x/assign']) {
      const response = await api.post(url, sent)
      const text = await response.clone().text()
      expect(text.length).toBeLessThan(limit)
      const { issues } = await expectError(response, 400, 'invalid_body')
      expect(issues.length).toBeLessThanOrEqual(20)
    }
  })

  test('a long path and query', async () => {
    const { apiKey } = await createTestMerchant(ample.db)
    const api = merchantApi(ample, apiKey)
    const long = 'x'.repeat(8_000)
    for (const url of [`/${long}`, `/v1/events?${long}=1`, `/v1/events?${long}=1&${long}=1`]) {
      const text = await (await api.get(url)).text()
      expect(text.length).toBeLessThan(limit)
    }
  })

  function manyKeys(count: number, length: number): [string, number][] {
    return Array.from({ length: count }, (_, index) => [String(index).padEnd(length, 'k'), 1])
  }
})

describe('behind a proxy, the service counts the address that the proxy reports', () => {
  /** Sends a request with the header as the last proxy would send it. */
  const guess = (server: TestServer, forwarded: string) =>
    post(server, path, { client_secret: 'x' }, { 'x-forwarded-for': forwarded })

  test.each([
    ['one proxy', 1],
    ['the address of one', ['127.0.0.0/8']],
  ])('%s', async (_, trustProxy) => {
    const server = await anotherServer({ trustProxy, addressLimit: { max: 3, windowMs: anHour } })
    // The client's own values come first, and differ for each request.
    for (let sent = 0; sent < 3; sent += 1) {
      await expectError(await guess(server, `10.0.0.${sent}, 203.0.113.7`), 404, 'intent_not_found')
    }
    await expectError(await guess(server, '10.0.0.9, 203.0.113.7'), 429, 'rate_limited')
    await expectError(await guess(server, '203.0.113.7, 203.0.113.8'), 404, 'intent_not_found')
  })

  test.each([
    ['a port that changes', (sent: number) => `203.0.113.7:${50_000 + sent}`],
    ['brackets and a port', (sent: number) => `[2001:db8::${sent}]:${50_000 + sent}`],
    ['a zone', (sent: number) => `fe80::1%eth${sent}`],
    ['another word each time', (sent: number) => `unknown-${sent}`],
    ['nothing readable', (sent: number) => `${'%'.repeat(sent + 1)}`],
  ])('that also writes %s does not switch the limit off', async (_, entry) => {
    const limit = 20
    const server = await anotherServer({
      ...{ trustProxy: 1, addressLimit: { max: limit, windowMs: anHour } },
    })
    const statuses: number[] = []
    for (let sent = 0; sent < 2 * limit; sent += 1) {
      statuses.push((await guess(server, entry(sent))).status)
    }
    expect(statuses).toEqual([...Array(limit).fill(404), ...Array(limit).fill(429)])
    const reports = server.logs.filter((line) => line.includes('TRUST_PROXY: '))
    expect(reports).toHaveLength(/^(unknown|%)/.test(entry(1)) ? 1 : 0)
  })

  test('proxies that are trusted by address may write ports, and each client is counted alone', async () => {
    const server = await anotherServer({
      ...{ trustProxy: ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'] },
      addressLimit: { max: 3, windowMs: anHour },
    })
    const through = '10.1.2.3:443, [fd00::7]:443'
    for (let sent = 0; sent < 3; sent += 1) {
      await expectError(
        await guess(server, `203.0.113.7:${sent}, ${through}`),
        404,
        'intent_not_found',
      )
    }
    await expectError(await guess(server, `203.0.113.7:9, ${through}`), 429, 'rate_limited')
    await expectError(await guess(server, `203.0.113.8:9, ${through}`), 404, 'intent_not_found')
  })

  test('all addresses of an IPv6 customer count as one', async () => {
    const server = await anotherServer({
      trustProxy: 1,
      addressLimit: { max: 3, windowMs: anHour },
    })
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::']) {
      await expectError(await guess(server, address), 404, 'intent_not_found')
    }
    await expectError(await guess(server, '2001:db8::3'), 429, 'rate_limited')
    await expectError(await guess(server, '2001:db8:0:1::3'), 404, 'intent_not_found')
  })
})
