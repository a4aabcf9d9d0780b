import { connect } from 'node:net'
import { startDevChain } from '@payment-intents/testing'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { createKey, ownDatabase, type ServerProcess, startServer } from './serverProcess.ts'
import { createIntent, resolveIntent } from './testServer.ts'

let apiKey: string
let holding: ServerProcess
let other: ServerProcess

beforeAll(async () => {
  const chain = await startDevChain({ blockTime: 0 })
  const env = { ...(await ownDatabase()), RPC_URL_BASE_TESTNET: chain.url }
  apiKey = await createKey(env.DATABASE_URL)
  ;[holding, other] = await Promise.all([startServer(env), startServer(env)])
  return async () => {
    await holding.end('SIGKILL')
    await other.end('SIGKILL')
    await chain.stop()
  }
})

test('stopped by SIGTERM, a server ends at once with what it holds, and later with half a request', async () => {
  const { client_secret } = await createIntent(holding, apiKey)
  const held = resolveIntent(holding, client_secret, { after_version: 1, wait_seconds: 25 })
  await holding.prints(/"url":"\/v1\/payment_intents\/resolve"/)

  const half = connect(Number(new URL(other.url).port), '127.0.0.1')
  onTestFinished(() => void half.destroy())
  half.on('error', () => {})
  const head = 'POST /v1/payment_intents HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n'
  half.write(`${head}content-length: 100\r\n\r\n{"am`)
  await other.prints(/"url":"\/v1\/payment_intents"/)

  // The one that waits ten seconds for the rest of a request is stopped first, and ends last.
  const ends = [other, holding].map(async (server) => {
    expect(await server.end('SIGTERM')).toBe(0)
    return server
  })
  expect(await Promise.race(ends)).toBe(holding)
  expect(await held).toMatchObject({ version: 1 })
  await Promise.all(ends)
})

test('a server deletes what is over from its start on', async () => {
  await holding.end('SIGTERM')
  expect(holding.output()).toContain('what is over is deleted next')
})
