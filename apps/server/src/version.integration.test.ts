import { createServer, type IncomingHttpHeaders } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { listenLocally } from '../../../tests/support/listenLocally.ts'
import { developmentChain } from './chain/development/developmentChain.ts'
import { httpTransport } from './chain/rpc/httpTransport.ts'
import { checkPublicUrl } from './ops/doctor/checkPublicUrl.ts'
import { createPoster } from './webhooks/createPoster.ts'
import { createGuard } from './webhooks/webhookGuard.ts'

const address = `0x${'1'.repeat(40)}` as const
const guard = createGuard({ allowPrivate: true })

const noSecrets = { serverSecret: null, previousSecrets: [], dataDir: '' }

test.each<[string, string, (url: string) => Promise<unknown>]>([
  [
    'a webhook',
    '*/*',
    (url) => {
      const { signal } = new AbortController()
      return createPoster(guard).post({
        url,
        headers: { 'webhook-id': 'evt_1' },
        body: '{}',
        signal,
      })
    },
  ],
  ['a call of an RPC', 'application/json', (url) => httpTransport(url, 60_000)('eth_chainId', [])],
  [
    'a call of a development chain',
    '*/*',
    (url) => developmentChain({ url, chainId: 84_532, token: address }).mine(1),
  ],
  [
    'the doctor’s look at the public URL',
    'application/json',
    (url) => checkPublicUrl({ publicUrl: url, ...noSecrets }),
  ],
])('%s names the server and its version, and the accepted content', async (_, accept, request) => {
  const received: IncomingHttpHeaders[] = []
  const { url, close } = await listenLocally(
    createServer((request, response) => {
      received.push(request.headers)
      response.end('{}')
    }),
  )
  onTestFinished(close)
  await request(url).catch(() => {})
  expect(received.length).toBeGreaterThan(0)
  for (const headers of received) {
    expect(headers['user-agent']).toMatch(/^payment-intents-server\/\d+\.\d+\.\d+$/)
    expect(headers.accept).toBe(accept)
  }
})
