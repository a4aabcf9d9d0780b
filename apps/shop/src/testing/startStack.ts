import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@payment-intents/node'
import { type DevChain, startDevChain } from '@payment-intents/testing'
import { freePort } from '../../../../packages/testing/src/freePort.ts'
import { openDb } from '../../../server/src/db/open.ts'
import { type RunningProcess, startProcess } from './startProcess.ts'

type StoredEvent = { type: string; sequence: number; object: unknown }

export type Stack = {
  readonly chain: DevChain
  readonly apiUrl: string
  readonly shopUrl: string
  readonly apiKey: string
  /** Of the server, with its database. */
  readonly dataDir: string
  /** The merchant's; nobody else's transfers go there. */
  readonly wallet: `0x${string}`
  /** The event rows of an intent, in order. */
  eventsOf(intentId: string): Promise<StoredEvent[]>
  /** Starts the server again on the same port and data, after `endServer`. */
  startServer(): Promise<void>
  endServer(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** What the server that runs now has printed so far. */
  serverLog(): readonly string[]
  stop(): Promise<void>
}

const server = join(import.meta.dirname, '../../../server/src')

/** A real chain, server with its own PostgreSQL, and shop, on free ports and in an empty folder. */
export async function startStack(): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'payment-e2e-'))
  const dataDir = join(folder, 'server')
  const chain = await startDevChain({ blockTime: 1 })
  // Both are told their ports: pages know the server's address, and the server the shop's, before it listens.
  const [port, shopPort] = [await freePort(), await freePort()]
  const apiUrl = `http://localhost:${port}`
  const env = {
    PORT: String(port),
    DATA_DIR: dataDir,
    RPC_URL_BASE_TESTNET: chain.url,
    DEVELOPMENT_CHAIN: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  }
  let running: RunningProcess | undefined
  const startServer = async () => {
    running = await startProcess({ file: join(server, 'main.ts'), env, ready: /listening at/i })
  }
  await startServer()

  const cli = async (...args: string[]) => {
    const child = [join(server, 'cli.ts'), ...args]
    const { stdout } = await promisify(execFile)(process.execPath, child, {
      env: { ...process.env, ...env },
    })
    return stdout.trim()
  }
  const wallet = chain.accounts[9]?.address
  if (!wallet) throw new Error('The development chain has no tenth account.')
  const merchant = await cli('merchant', 'create', '--name', 'Hollow Hill')
  await cli('wallet', 'set', merchant, '--mode', 'testnet', '--chain', 'base', '--address', wallet)
  const apiKey = await cli('key', 'create', merchant, '--mode', 'testnet')

  const endpoint = await createClient({ apiKey, baseUrl: apiUrl }).webhookEndpoints.create({
    url: `http://localhost:${shopPort}/webhooks`,
  })
  const shop = await startProcess({
    file: join(import.meta.dirname, '../main.ts'),
    env: {
      PORT: String(shopPort),
      DATA_DIR: join(folder, 'shop'),
      PAYMENT_INTENTS_API_KEY: apiKey,
      PAYMENT_INTENTS_WEBHOOK_SECRET: endpoint.secret,
      PAYMENT_INTENTS_BASE_URL: apiUrl,
      RPC_URL: chain.url,
    },
    ready: /open at (\S+)/,
  })

  return {
    chain,
    apiUrl,
    shopUrl: shop.match[1] ?? '',
    apiKey,
    dataDir,
    wallet,
    startServer,
    async eventsOf(intentId) {
      const onError = (error: Error) => {
        throw error
      }
      const options = { databaseUrl: null, dataDir, poolSize: 1, onError }
      const { db, close } = await openDb({ ...options, cluster: 'borrow' })
      const { rows } = await db.pool.query<StoredEvent & { object: string }>(
        'select type, sequence, object from events where intent_id = $1 order by sequence',
        [intentId],
      )
      await close()
      return rows.map((row) => ({ ...row, object: JSON.parse(row.object) }))
    },
    async endServer(signal) {
      await running?.end(signal)
      running = undefined
    },
    serverLog: () => running?.printed ?? [],
    async stop() {
      await shop.end('SIGTERM')
      await running?.end('SIGTERM')
      await chain.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
