import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevChain } from '@payment-intents/testing'
import { beforeAll, expect, test } from 'vitest'
import { copyCluster } from '../../../tests/support/copyCluster.ts'
import { embeddedPostgres } from './embeddedPostgres.ts'
import { runHere } from './runHere.ts'
import { runCommand, type ServerProcess, startServer } from './serverProcess.ts'
import { createIntent, shopWallet } from './testServer.ts'

let dataDir: string
let server: ServerProcess

beforeAll(async () => {
  const chain = await startDevChain({ blockTime: 0 })
  dataDir = await mkdtemp(join(tmpdir(), 'payment-intents-data-'))
  await copyCluster(dataDir)
  server = await startServer({ DATA_DIR: dataDir, RPC_URL_BASE_TESTNET: chain.url })
  return async () => {
    await server.end('SIGTERM')
    await chain.stop()
    await rm(dataDir, { recursive: true })
  }
})

test('secrets lie in files that only their owner reads', async () => {
  const names = (await readdir(dataDir)).filter((name) => name !== 'postgres')
  expect(names).not.toEqual([])
  for (const name of names) {
    expect((await stat(join(dataDir, name))).mode & 0o077, name).toBe(0)
  }
})

test('the command line works while the server runs, and leaves its database running', async () => {
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
