import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { limits } from '@payment-intents/contract'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { holdTimers } from '../../../../../../tests/support/holdTimers.ts'
import { until } from '../../../../../../tests/support/until.ts'
import { fillLists, intentAt } from '../../../../test/support/database/fillLists.ts'
import { serverOfFile } from '../../../../test/support/database/fixtures.ts'
import { dashboardUrl, signIn } from '../../../../test/support/server/dashboardClient.ts'
import { expectError, merchantApi, openShop } from '../../../../test/support/server/merchantApi.ts'
import { createTestKey } from '../../../../test/support/server/testServer.ts'

const server = serverOfFile({ dashboard: { url: dashboardUrl, now: Date.now } })
const path = '/v1/export?what=payment_intents'
/** These rows of 16 kB exceed the buffers between the server and a reader that stops. */
const count = 3_000
const pages = count / limits.pageSize.max

let merchantId: string
let apiKey: string

beforeAll(async () => {
  const shop = await openShop(server)
  merchantId = shop.merchantId
  apiKey = shop.apiKey
  await fillLists(server.db, merchantId, count)
  const note = JSON.stringify({ note: 'x'.repeat(16_000) })
  await server.db.pool.query('update payment_intents set metadata = $1', [note])
})

/** Starts an export, and reads only its headers. */
async function begin(key = apiKey): Promise<IncomingMessage> {
  const request = get(server.url + path, {
    agent: false,
    headers: { authorization: `Bearer ${key}` },
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  request.on('error', () => {})
  response.on('error', () => {})
  onTestFinished(() => void response.destroy())
  return response
}

const table = (from: string, to: string) =>
  server.db.pool.query(`alter table ${from} rename to ${to}`)

/** Makes reads of pages fail until the test ends. */
async function breakPages(): Promise<void> {
  await table('payment_intents', 'payment_intents_away')
  onTestFinished(() => table('payment_intents_away', 'payment_intents').then(() => {}))
}

/** Counts the pages of payment intents that the server reads from now on. */
function countPages(): () => number {
  const query = vi.spyOn(server.db.pool, 'query')
  const isPage = ([statement]: unknown[]) =>
    JSON.stringify(statement).includes('from payment_intents')
  return () => query.mock.calls.filter(isPage).length
}

const isComplete = (response: IncomingMessage) =>
  text(response).then(
    () => response.complete,
    () => false,
  )

test('an export is streamed as a file, newest first', async () => {
  const response = await begin()
  expect(response.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="payment_intents.csv"',
    'transfer-encoding': 'chunked',
    'cache-control': 'no-store',
  })
  const [heading, ...rows] = (await text(response)).split('\r\n').slice(0, -1)
  expect(heading).toMatch(/^id,created_at,/)
  const ids = Array.from({ length: count }, (_, index) => intentAt(count - index, count).id)
  expect(rows.map((row) => row.split(',', 1)[0])).toEqual(ids)
})

test('a request for the headers alone reads one page', async () => {
  const pagesRead = countPages()
  const headers = { authorization: `Bearer ${apiKey}` }
  const response = await server.request(path, { method: 'HEAD', headers })
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(response.headers.get('content-length')).toBeNull()
  // A list would wait behind the rest of the export.
  await merchantApi(server, apiKey).read('/v1/payment_intents')
  expect(pagesRead()).toBe(2)
})

test('a stream waits for a reader that stops, and holds no connection to the database', async () => {
  const pagesRead = countPages()
  await begin()
  const { api } = await openShop(server)
  for (let read = 0; read < 2 * pages; read += 1) await api.read('/v1/payment_intents')
  expect(pagesRead() - 2 * pages).toBeLessThan(pages)
  const { totalCount, idleCount, waitingCount } = server.db.pool
  expect({ busy: totalCount - idleCount, waitingCount }).toEqual({ busy: 0, waitingCount: 0 })
})

test('a reader that leaves ends the reading, and makes room for another', async () => {
  const pagesRead = countPages()
  const key = await createTestKey(server.db, merchantId, 'testnet')
  const pending = [await begin(key), await begin(key)]
  expect(pending).toHaveLength(limits.exports.key)
  const { get: refusedGet } = merchantApi(server, key)
  await expectError(await refusedGet(path), 429, 'rate_limited')
  for (const response of pending) response.destroy()
  let second: IncomingMessage | undefined
  await until(async () => {
    second = await begin(key)
    expect(second.statusCode).toBe(200)
  })
  const before = pagesRead()
  expect(second && (await isComplete(second))).toBe(true)
  expect(pagesRead() - before).toBeLessThanOrEqual(pages)
})

test('a merchant streams five exports at once, with any number of keys', async () => {
  for (let pending = 0; pending < limits.exports.merchant; pending += 1) {
    const response = await begin(await createTestKey(server.db, merchantId, 'testnet'))
    expect(response.statusCode).toBe(200)
  }
  const refused = await merchantApi(server, apiKey).get(path)
  await expectError(refused, 429, 'rate_limited')
  expect(refused.headers.get('retry-after')).toBe('1')
})

test('an invalid request gets the usual error', async () => {
  const { api } = await openShop(server)
  await expectError(await api.get('/v1/export'), 400, 'invalid_body')
  await expectError(await api.get('/v1/export?what=payments'), 400, 'invalid_body')
  await breakPages()
  await expectError(await api.get(path), 500, 'internal_error')
})

test('a failure during the stream does not look like its end', async () => {
  const response = await begin()
  await breakPages()
  expect(await isComplete(response)).toBe(false)
})

test('a failure does not look like the end to HTTP/1.0, which only sees the connection close', async () => {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.write(`GET ${path} HTTP/1.0\r\nauthorization: Bearer ${apiKey}\r\n\r\n`)
  const [head] = await once(socket, 'data')
  expect(String(head)).toMatch(/^HTTP\/1\.1 200 /)
  expect(String(head)).not.toMatch(/transfer-encoding/i)
  socket.pause()
  await breakPages()
  await expect(text(socket)).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('an export ends when its API key is revoked', async () => {
  const key = await createTestKey(server.db, merchantId, 'testnet')
  const response = await begin(key)
  await server.db.pool.query('update api_keys set revoked_at = now() where hint like $1', [
    `%${key.slice(-4)}`,
  ])
  await until(async () => {
    expect((await merchantApi(server, key).get('/v1/settings')).status).toBe(401)
  })
  expect(await isComplete(response)).toBe(false)
})

test('an export whose reader takes nothing for a minute ends', async () => {
  const clock = holdTimers(60_000, 60_000)
  const response = await begin()
  await until(() => expect(clock.held()).toEqual([60_000]))
  clock.runOut()
  expect(await isComplete(response)).toBe(false)
})

test('a signed-in person can also get an export', async () => {
  const client = await signIn(server, merchantId, 'reader')
  const response = await client.send('GET', '/v1/export?what=transfers')
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect((await response.text()).split('\r\n')).toHaveLength(count + 2)
})
