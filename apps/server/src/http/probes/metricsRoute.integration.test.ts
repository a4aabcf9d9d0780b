import { expect, test } from 'vitest'
import { ofTest } from '../../../test/support/database/fixtures.ts'
import {
  createIntent,
  createTestMerchant,
  startTestServer,
} from '../../../test/support/server/testServer.ts'
import { acquireLease, advanceCursor } from '../../store/chains/cursors.ts'

const base = '{chain="base",mode="testnet"}'

const server = ofTest(startTestServer, (server) => server.close())

async function scrape(): Promise<string> {
  const response = await server.request('/metrics')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/)
  return response.text()
}

/** The value of the sample with this name and labels; null: there is none. */
function sampleOf(metrics: string, sample: string): number | null {
  const line = metrics.split('\n').find((candidate) => candidate.startsWith(`${sample} `))
  return line ? Number(line.slice(sample.length)) : null
}

/** Waits for a count: a request is counted after its response, which the client may see first. */
async function untilCounted(
  method: string,
  route: string,
  status: number,
  times: number,
): Promise<string> {
  const labels = `method="${method}",route="${route}",status="${status}"`
  for (;;) {
    const metrics = await scrape()
    const counted = sampleOf(metrics, `http_request_duration_seconds_count{${labels}}`)
    if (counted === times) return metrics
    expect(counted ?? 0).toBeLessThan(times)
  }
}

test('requests are counted by method, route and status', async () => {
  const { apiKey } = await createTestMerchant(server.db)
  await createIntent(server, apiKey)
  await createIntent(server, apiKey)
  await server.request('/v1/payment_intents')
  await untilCounted('POST', '/v1/payment_intents', 200, 2)
  await untilCounted('GET', '/v1/payment_intents', 401, 1)
})

test('the method is the only text of the caller in the metrics', async () => {
  const { apiKey } = await createTestMerchant(server.db)
  const intent = await createIntent(server, apiKey)
  await server.request(`/v1/payment_intents/${intent.id}?key=${apiKey}`)
  await server.request(`/${intent.client_secret}`)
  await untilCounted('GET', '/v1/payment_intents/:id', 401, 1)
  const metrics = await untilCounted('GET', 'none', 404, 1)
  expect(metrics).not.toContain(intent.id)
  expect(metrics).not.toContain(apiKey)
})

test('a watched chain reports the lag of its reading', async () => {
  expect(await scrape()).not.toContain('payment_intents_chain_lag_seconds{')
  const { apiKey } = await createTestMerchant(server.db)
  await createIntent(server, apiKey)
  await server.db.pool.query(`update watched_topics set since = now() - interval '2 hours'`)
  const unread = await scrape()
  expect(sampleOf(unread, `payment_intents_chain_lag_seconds${base}`)).toBeGreaterThanOrEqual(7_200)
  expect(sampleOf(unread, `payment_intents_chain_lag_blocks${base}`)).toBeNull()

  const lease = (await acquireLease(server.db, 84532)) ?? expect.fail('the lease is held')
  await advanceCursor(server.db.pool, lease, {
    ...{
      to: 10n,
      timestamp: 1,
      head: 15n,
      rereadTo: null,
      delayedTransfers: 2,
      isFresh: true,
    },
  })
  await server.db.pool.query(`update chain_cursors set scanned_at = now() - interval '1 minute'`)
  const behind = await scrape()
  expect(sampleOf(behind, `payment_intents_chain_lag_blocks${base}`)).toBe(5)
  const seconds = sampleOf(behind, `payment_intents_chain_lag_seconds${base}`)
  expect(seconds).toBeGreaterThanOrEqual(60)
  expect(seconds).toBeLessThan(7_200)
  expect(sampleOf(behind, 'payment_intents_database_up')).toBe(1)
})

test('while the database is unreachable, the metrics say so, and metrics that do not need it continue', async () => {
  const { apiKey } = await createTestMerchant(server.db)
  await createIntent(server, apiKey)
  await untilCounted('POST', '/v1/payment_intents', 200, 1)
  await server.db.pool.query('alter table watched_topics rename to gone')
  const metrics = await scrape()
  expect(sampleOf(metrics, 'payment_intents_database_up')).toBe(0)
  expect(metrics).not.toContain('payment_intents_chain_lag_seconds{')
  expect(metrics).toContain('http_request_duration_seconds_count{')
})
