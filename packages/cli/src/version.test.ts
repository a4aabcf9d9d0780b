import { expect, test } from 'vitest'
import { json, serve } from '../../node/test/stubServer.ts'
import { forward } from './listen/forward.ts'
import { userAgent } from './version.ts'

test('an event is posted with the product and its version', async () => {
  const server = await serve(json(200, {}))
  const { signal } = new AbortController()
  await forward({ url: new URL(server.url), headers: {}, body: '{}', timeoutMs: 5_000, signal })
  expect(userAgent).toMatch(/^payment-intents-cli\/\d+\.\d+\.\d+\S*$/)
  expect(server.requests[0]?.headers).toMatchObject({ 'user-agent': userAgent, accept: '*/*' })
})
