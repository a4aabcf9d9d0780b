import { expect, test } from 'vitest'
import { ofTest } from '../../../test/support/database/fixtures.ts'
import { expectIssue, openShop } from '../../../test/support/server/merchantApi.ts'
import { startTestServer } from '../../../test/support/server/testServer.ts'

const webhookHosts = ['shop.internal:8080', '10.0.5.0/24']
const server = ofTest(
  () => startTestServer({ webhooks: 'public_only', webhookHosts }),
  (server) => server.close(),
)

test('an endpoint at a host that the operator allows may use http, even in live mode', async () => {
  const { api, live } = await openShop(server)
  for (const merchant of [api, live]) {
    for (const url of [
      'http://shop.internal:8080/webhooks',
      'http://10.0.5.7/',
      'https://10.0.5.7/',
    ]) {
      const response = await merchant.post('/v1/webhook_endpoints', { url })
      expect(response.status, url).toBe(200)
    }
    for (const url of ['http://10.0.5.7:6379/', 'http://10.0.6.7/', 'https://127.0.0.1/']) {
      await expectIssue(await merchant.post('/v1/webhook_endpoints', { url }), 'url')
    }
  }
  for (const url of [
    'http://shop.internal/',
    'http://shop.internal:8081/',
    'http://example.com/',
  ]) {
    await expectIssue(await live.post('/v1/webhook_endpoints', { url }), 'url')
  }
})
