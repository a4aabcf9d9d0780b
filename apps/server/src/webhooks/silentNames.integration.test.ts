import { expect, onTestFinished, test } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { until } from '../../../../tests/support/until.ts'
import { anotherServer } from '../../test/support/database/fixtures.ts'
import { merchantApi } from '../../test/support/server/merchantApi.ts'
import { serveNames } from '../../test/support/server/nameServer.ts'
import {
  createIntent,
  createTestMerchant,
  randomWallet,
} from '../../test/support/server/testServer.ts'
import { startReceiver } from '../../test/support/server/webhookReceiver.ts'
import { createDnsResolver } from '../lib/dnsResolver.ts'

test('endpoints whose names never resolve delay no other merchant', async () => {
  const dns = await serveNames((name) => (name.endsWith('silent.test') ? 'silence' : ['127.0.0.1']))
  // Each query times out only after the test.
  const names = createDnsResolver({ servers: [dns.address], timeoutMs: 5 * patience })
  const server = await anotherServer({
    webhooks: 'delivering',
    names,
    poster: { timeoutMs: 5 * patience },
  })
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())

  const register = async (apiKey: string, url: string) => {
    const response = await merchantApi(server, apiKey).post('/v1/webhook_endpoints', { url })
    expect(response.status).toBe(200)
  }
  const hostile = (await createTestMerchant(server.db)).apiKey
  for (let index = 0; index < 16; index += 1)
    await register(hostile, `http://${index}.silent.test/`)
  await createIntent(server, hostile)
  await until(() => {
    for (let index = 0; index < 16; index += 1) {
      expect(dns.queryCount(`${index}.silent.test`)).toBeGreaterThan(0)
    }
  })

  const honest = (await createTestMerchant(server.db, { wallet: randomWallet() })).apiKey
  const { port } = new URL(receiver.url)
  await register(honest, `http://shop.test:${port}/`)
  await createIntent(server, honest)
  await until(() => expect(receiver.received).toHaveLength(1))
})
