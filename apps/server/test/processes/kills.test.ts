import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DevChain, startDevChain } from '@payment-intents/testing'
import { beforeAll, expect, test } from 'vitest'
import { copyCluster } from '../../../../tests/support/copyCluster.ts'
import { until } from '../../../../tests/support/until.ts'
import { payIntent, untilStatus } from '../support/chain/payments.ts'
import { embeddedPostgres } from '../support/database/embeddedPostgres.ts'
import { merchantApi } from '../support/server/merchantApi.ts'
import { runHere } from '../support/server/runHere.ts'
import {
  createKey,
  runCommand,
  type ServerProcess,
  startServer,
} from '../support/server/serverProcess.ts'
import { createIntent, type Json, resolveIntent, shopWallet } from '../support/server/testServer.ts'

let chain: DevChain
let dataDir: string
let running: ServerProcess | undefined

beforeAll(async () => {
  chain = await startDevChain({ blockTime: 0 })
  dataDir = await mkdtemp(join(tmpdir(), 'payment-intents-kills-'))
  await copyCluster(dataDir)
  return async () => {
    await running?.end('SIGTERM')
    await chain.stop()
    await rm(dataDir, { recursive: true })
  }
})

/** Starts a server with a PostgreSQL of its own, which stops with it. */
async function start(): Promise<ServerProcess> {
  running = await startServer({
    ...{ DATA_DIR: dataDir, RPC_URL_BASE_TESTNET: chain.url, DEVELOPMENT_CHAIN: 'true' },
  })
  return running
}

/** Returns the running server of the previous test, or starts a server. */
async function takeOver(): Promise<ServerProcess> {
  return running ?? start()
}

async function end(server: ServerProcess, signal: NodeJS.Signals): Promise<unknown> {
  if (running === server) running = undefined
  return server.end(signal)
}

async function create(server: ServerProcess): Promise<Json> {
  const { url } = await embeddedPostgres(dataDir)
  return createIntent(server, await createKey(url))
}

test('secrets are in files that only their owner can read', async () => {
  await takeOver()
  const names = (await readdir(dataDir)).filter((name) => name !== 'postgres')
  expect(names).not.toEqual([])
  for (const name of names) {
    expect((await stat(join(dataDir, name))).mode & 0o077, name).toBe(0)
  }
})

test('the command line works while the server runs, and leaves its database running', async () => {
  const server = await takeOver()
  const { pid } = await embeddedPostgres(dataDir)
  const command = async (...args: string[]) => {
    const { code, output } = await runHere(args, { DATA_DIR: dataDir })
    expect(code, output).toBe(0)
    return output
  }
  const created = await runCommand(['merchant', 'create', '--name', 'Demo'], { DATA_DIR: dataDir })
  expect(created.code, created.output).toBe(0)
  const merchant = created.output
  const wallet = ['--mode', 'testnet', '--chain', 'base', '--address', shopWallet]
  await command('wallet', 'set', merchant, ...wallet)
  const key = await command('key', 'create', merchant, '--mode', 'testnet')
  expect((await embeddedPostgres(dataDir)).pid).toBe(pid)
  expect(await createIntent(server, key)).toMatchObject({
    ...{ status: 'requires_payment', mode: 'testnet' },
  })
})

test('a server that is killed and started again finishes earlier and newer payments', async () => {
  const firstServer = await takeOver()
  const [detected, undetected] = [await create(firstServer), await create(firstServer)]
  await payIntent(chain, detected)
  await untilStatus(firstServer, detected, 'pending_confirmations')
  const { pid } = await embeddedPostgres(dataDir)
  await end(firstServer, 'SIGKILL')
  await payIntent(chain, undetected)
  await chain.mine(4)

  const secondServer = await start()
  expect((await embeddedPostgres(dataDir)).pid, 'its PostgreSQL was left running').toBe(pid)
  await untilStatus(secondServer, detected, 'succeeded')
  await untilStatus(secondServer, undetected, 'succeeded')
})

test('a server that is killed with its PostgreSQL loses nothing that it has acknowledged', async () => {
  const firstServer = await takeOver()
  const intent = await create(firstServer)
  const { pid } = await embeddedPostgres(dataDir)
  await end(firstServer, 'SIGKILL')
  process.kill(pid, 'SIGKILL')

  const secondServer = await start()
  expect((await embeddedPostgres(dataDir)).pid).not.toBe(pid)
  const { client_secret } = intent
  expect(await resolveIntent(secondServer, client_secret)).toMatchObject({
    ...{ id: intent.id, status: 'requires_payment' },
  })
  await payIntent(chain, intent)
  await chain.mine(4)
  await untilStatus(secondServer, intent, 'succeeded')
})

test('a server restarts a killed PostgreSQL, and returns 503 with Retry-After meanwhile', async () => {
  const server = await takeOver()
  const { url, pid } = await embeddedPostgres(dataDir)
  const apiKey = await createKey(url)
  const intent = await createIntent(server, apiKey)
  const wait = { after_version: 1, wait_seconds: 25 }
  const resolves = () => server.output().match(/"url":"[^"]*resolve"/g)?.length ?? 0
  const before = resolves()
  const pending = resolveIntent(server, intent.client_secret, wait)
  pending.catch(() => {})
  await server.until(() => expect(resolves()).toBeGreaterThan(before))
  // Once this request completes, the first has read and waits.
  await resolveIntent(server, intent.client_secret)
  process.kill(pid, 'SIGKILL')
  const retrieved = await until(async () => {
    const response = await merchantApi(server, apiKey).get(`/v1/payment_intents/${intent.id}`)
    if (response.status !== 200)
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect((await embeddedPostgres(dataDir)).pid).not.toBe(pid)
    expect(response.status).toBe(200)
    return response.json()
  })
  expect(retrieved).toMatchObject({ id: intent.id, status: 'requires_payment' })
  await server.prints(/the embedded PostgreSQL had ended, and was started again/)
  await server.prints(/the database responds again/)
  expect(server.output().match(/the database does not respond/g)).toHaveLength(1)
  await payIntent(chain, intent)
  expect(await pending).toMatchObject({ status: 'pending_confirmations' })
  await chain.mine(4)
  await untilStatus(server, intent, 'succeeded')
})

test('the first of two servers on a DATA_DIR leaves the PostgreSQL to the other, which stops it', async () => {
  const [firstServer, secondServer] = [await takeOver(), await start()]
  const intent = await create(firstServer)
  const { pid } = await embeddedPostgres(dataDir)
  expect(await end(firstServer, 'SIGTERM')).toBe(0)
  expect((await embeddedPostgres(dataDir)).pid).toBe(pid)
  expect(await resolveIntent(secondServer, intent.client_secret)).toMatchObject({ id: intent.id })
  expect(await create(secondServer)).toMatchObject({ status: 'requires_payment' })
  expect(await end(secondServer, 'SIGTERM')).toBe(0)
  // The process disappears once the system has reaped it, which some systems do only every few seconds.
  await until(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'))
})
