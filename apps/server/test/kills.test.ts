import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DevChain, startDevChain } from '@payment-intents/testing'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { until } from '../../../tests/support/until.ts'
import { embeddedPostgres } from './embeddedPostgres.ts'
import { payIntent, untilStatus } from './payments.ts'
import { createKey, type ServerProcess, startServer } from './serverProcess.ts'
import { createIntent, type Json, resolveIntent } from './testServer.ts'

let chain: DevChain
let dataDir: string

beforeAll(async () => {
  chain = await startDevChain({ blockTime: 0 })
  dataDir = await mkdtemp(join(tmpdir(), 'payment-intents-kills-'))
  return async () => {
    await chain.stop()
    await rm(dataDir, { recursive: true })
  }
})

/** Starts the server with a PostgreSQL of its own, which is stopped with it when the test is over. */
async function start(): Promise<ServerProcess> {
  const server = await startServer({
    ...{ DATA_DIR: dataDir, RPC_URL_BASE_TESTNET: chain.url, DEVELOPMENT_CHAIN: 'true' },
  })
  onTestFinished(async () => void (await server.end('SIGTERM')))
  return server
}

async function create(server: ServerProcess): Promise<Json> {
  const { url } = await embeddedPostgres(dataDir)
  return createIntent(server, await createKey(url))
}

test('killed, and started again, it finishes what was paid before and meanwhile', async () => {
  const first = await start()
  const [seen, unseen] = [await create(first), await create(first)]
  await payIntent(chain, seen)
  await untilStatus(first, seen, 'pending_confirmations')
  const { pid } = await embeddedPostgres(dataDir)
  await first.end('SIGKILL')
  await payIntent(chain, unseen)
  await chain.mine(4)

  const second = await start()
  expect((await embeddedPostgres(dataDir)).pid, 'its PostgreSQL was left running').toBe(pid)
  await untilStatus(second, seen, 'succeeded')
  await untilStatus(second, unseen, 'succeeded')
})

test('killed together with its PostgreSQL, it loses nothing that it has acknowledged', async () => {
  const first = await start()
  const intent = await create(first)
  const { pid } = await embeddedPostgres(dataDir)
  await first.end('SIGKILL')
  process.kill(pid, 'SIGKILL')

  const second = await start()
  expect((await embeddedPostgres(dataDir)).pid).not.toBe(pid)
  const { client_secret } = intent
  expect(await resolveIntent(second, client_secret)).toMatchObject({
    ...{ id: intent.id, status: 'requires_payment' },
  })
  await payIntent(chain, intent)
  await chain.mine(4)
  await untilStatus(second, intent, 'succeeded')
})

test('stopped by SIGTERM, it ends with its PostgreSQL', async () => {
  const server = await start()
  const { pid } = await embeddedPostgres(dataDir)
  expect(await server.end('SIGTERM')).toBe(0)
  // Gone as soon as the system has collected it, which some do only every few seconds.
  await until(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'))
})
