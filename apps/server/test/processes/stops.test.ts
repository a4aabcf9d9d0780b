import { connect } from 'node:net'
import { startDevChain } from '@payment-intents/testing'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  createKey,
  type ServerProcess,
  separateDatabase,
  startServer,
} from '../support/server/serverProcess.ts'
import { createIntent, resolveIntent } from '../support/server/testServer.ts'

let apiKey: string
let env: Record<string, string>
let holding: ServerProcess
let otherServer: ServerProcess

beforeAll(async () => {
  const chain = await startDevChain({ blockTime: 0 })
  env = { ...(await separateDatabase()), RPC_URL_BASE_TESTNET: chain.url }
  apiKey = await createKey(env.DATABASE_URL ?? '')
  ;[holding, otherServer] = await Promise.all([startServer(env), startServer(env)])
  return async () => {
    await holding.end('SIGKILL')
    await otherServer.end('SIGKILL')
    await chain.stop()
  }
})

test('after SIGTERM a server ends at once if requests are held, and later if a request is incomplete', async () => {
  const { client_secret } = await createIntent(holding, apiKey)
  const pending = resolveIntent(holding, client_secret, { after_version: 1, wait_seconds: 25 })
  await holding.prints(/"url":"\/v1\/payment_intents\/resolve"/)

  const half = connect(Number(new URL(otherServer.url).port), '127.0.0.1')
  onTestFinished(() => void half.destroy())
  half.on('error', () => {})
  const head = 'POST /v1/payment_intents HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n'
  half.write(`${head}content-length: 100\r\n\r\n{"am`)
  await otherServer.prints(/"url":"\/v1\/payment_intents"/)

  // The server that waits ten seconds for the rest of a request gets the signal first, and ends last.
  const ends = [otherServer, holding].map(async (server) => {
    expect(await server.end('SIGTERM')).toBe(0)
    return server
  })
  expect(await Promise.race(ends)).toBe(holding)
  expect(await pending).toMatchObject({ version: 1 })
  await Promise.all(ends)
})

test.each(['1', '2'])(
  'after SIGTERM a server of %s workers serves until balancers have read /readyz; after SIGINT it ends',
  async (workers) => {
    const patient = { ...env, WORKERS: workers, SHUTDOWN_DELAY_SECONDS: '300' }
    const [serving, ending] = await Promise.all([startServer(patient), startServer(patient)])
    onTestFinished(async () => void (await serving.end('SIGKILL')))
    const { client_secret } = await createIntent(serving, apiKey)
    const wait = { after_version: 1, wait_seconds: 25 }
    const pending = resolveIntent(serving, client_secret, wait)
    await serving.prints(/"url":"\/v1\/payment_intents\/resolve"/)

    process.kill(serving.pid, 'SIGTERM')
    // Each request has a new connection, since the previous was closed, and may reach another worker.
    await serving.until(async () => {
      const ready = await serving.request('/readyz')
      expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close'])
      expect(await ready.json()).toMatchObject({ status: 'not_ready', stopping: true })
    })
    expect(await pending).toMatchObject({ version: 1 })
    // Requests that would be held also get a response at once.
    expect(await resolveIntent(serving, client_secret, wait)).toMatchObject({ version: 1 })
    expect(await createIntent(serving, apiKey)).toMatchObject({ status: 'requires_payment' })
    expect(await ending.end('SIGINT')).toBe(0)
  },
)

test('a server deletes old data soon after its start', async () => {
  await holding.end('SIGTERM')
  expect(holding.output()).toContain('data past its retention is deleted next')
})
