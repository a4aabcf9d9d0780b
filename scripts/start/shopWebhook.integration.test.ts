import { createClient } from '@payment-intents/node'
import {
  createTestMerchant,
  startTestServer,
  type TestServer,
} from '@payment-intents/server/test/support/server/testServer.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopWebhook } from './shopWebhook.ts'

const url = 'http://localhost:4243/webhooks'
let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(async () => {
  await server?.close()
})

test('repeated calls keep one endpoint, enabled, and return a new secret', async () => {
  const { apiKey } = await createTestMerchant(server.db)
  const { url: baseUrl } = server
  const { webhookEndpoints } = createClient({ apiKey, baseUrl })
  const first = await shopWebhook({ baseUrl, apiKey, url })
  expect(first).toEqual({ secret: expect.stringMatching(/^whsec_/), origin: 'created' })
  const result = async () =>
    (await webhookEndpoints.list()).data.filter((endpoint) => endpoint.url === url)
  const [endpoint = expect.fail()] = await result()
  await webhookEndpoints.update(endpoint.id, { status: 'disabled' })

  const second = await shopWebhook({ baseUrl, apiKey, url })
  expect(second).toEqual({ secret: expect.stringMatching(/^whsec_/), origin: 'kept' })
  expect(second.secret).not.toBe(first.secret)
  expect(await result()).toEqual([{ ...endpoint, status: 'enabled' }])
})

test('a key that the server refuses is reported without the key', async () => {
  const requested = shopWebhook({ baseUrl: server.url, apiKey: 'sk_test_unknown', url })
  await expect(requested).rejects.toThrow(/returned 401/)
  await expect(requested).rejects.not.toThrow(/sk_test_unknown/)
})
