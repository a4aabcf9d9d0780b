import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@payment-intents/node'
import { connect } from '@payment-intents/server/src/db/connect.ts'
import { openDb } from '@payment-intents/server/src/db/open.ts'
import { type DevChain, startDevChain } from '@payment-intents/testing'
import { freePort } from '../../../packages/testing/src/freePort.ts'
import { createMerchant } from '../../../tests/support/createMerchant.ts'
import { patience } from '../../../tests/support/patience.ts'
import { startProcess, type TestProcess } from '../../../tests/support/startProcess.ts'

type StoredEvent = { type: string; sequence: number; object: unknown }

export type Stack = {
  readonly chain: DevChain
  readonly apiUrl: string
  readonly shopUrl: string
  readonly apiKey: string
  /** The server's folder, including its database unless `clusterUrl` is set. */
  readonly dataDir: string
  /** The merchant's wallet, which only this stack's payments use. */
  readonly wallet: `0x${string}`
  /** The event rows of an intent, in order. */
  eventsOf(intentId: string): Promise<StoredEvent[]>
  /** Starts the server again on the same port and data, after `endServer`. */
  startServer(): Promise<void>
  endServer(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** The lines that the running server has printed so far. */
  serverLog(): readonly string[]
  stop(): Promise<void>
}

const onError = (error: Error) => {
  throw error
}

/**
 * A real chain, server and shop, on free ports and in an empty folder.
 *
 * @param options.clusterUrl a PostgreSQL in which the server gets its own database; by default it runs its own
 * @param options.relays whether the server submits authorizations
 */
export async function startStack({
  clusterUrl,
  relays = false,
}: {
  clusterUrl?: string
  relays?: boolean
} = {}): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'payment-e2e-'))
  const dataDir = join(folder, 'server')
  const [chain, databaseUrl] = await Promise.all([
    startDevChain({ blockTime: 1 }),
    clusterUrl === undefined ? null : createDatabase(clusterUrl),
  ])
  // Both ports are chosen beforehand: pages contain the server's URL, and the server needs the shop's before it listens.
  const [port, shopPort] = [await freePort(), await freePort()]
  const apiUrl = `http://localhost:${port}`
  let running: TestProcess | undefined
  const startServer = async () => {
    running = startProcess(join(import.meta.dirname, '../../server/dist/server.js'), {
      env: {
        PORT: String(port),
        DATA_DIR: dataDir,
        RPC_URL_BASE_TESTNET: chain.url,
        ...(relays && { RELAYER_KEY_BASE_TESTNET: String(chain.accounts[8]?.privateKey) }),
        DEVELOPMENT_CHAIN: 'true',
        // With a line for each request.
        LOG_LEVEL: 'debug',
        WEBHOOK_ALLOW_PRIVATE: 'true',
        DATABASE_TIMEOUT_MS: String(patience),
        ...(databaseUrl && {
          DATABASE_URL: databaseUrl,
          SERVER_SECRET: 'f3a1c85d09be72461e8ddc0b94a7365f',
        }),
      },
    })
    await running.prints(/listening at/i)
  }
  await startServer()

  // The server's own PostgreSQL is running by now.
  const opening = {
    databaseUrl,
    dataDir,
    poolSize: 1,
    cluster: 'borrow',
    waitSeconds: 0,
    onError,
  } as const
  const { db, close } = await openDb(opening)
  const wallet = chain.accounts[9]?.address
  if (!wallet) throw new Error('The development chain has no tenth account.')
  const { apiKey } = await createMerchant(db.pool, { name: 'Hollow Hill', wallet })
  const endpoint = await createClient({ apiKey, baseUrl: apiUrl }).webhookEndpoints.create({
    url: `http://localhost:${shopPort}/webhooks`,
  })
  const shop = startProcess(join(import.meta.dirname, '../src/main.ts'), {
    env: {
      PORT: String(shopPort),
      DATA_DIR: join(folder, 'shop'),
      PAYMENT_INTENTS_API_KEY: apiKey,
      PAYMENT_INTENTS_WEBHOOK_SECRET: endpoint.secret,
      PAYMENT_INTENTS_BASE_URL: apiUrl,
      RPC_URL: chain.url,
    },
  })
  const [, shopUrl = ''] = await shop.prints(/open at (\S+)/)

  return {
    chain,
    apiUrl,
    shopUrl,
    apiKey,
    dataDir,
    wallet,
    startServer,
    async eventsOf(intentId) {
      const { rows } = await db.pool.query<StoredEvent & { object: string }>(
        'select type, sequence, object from events where intent_id = $1 order by sequence',
        [intentId],
      )
      return rows.map((row) => ({ ...row, object: JSON.parse(row.object) }))
    },
    async endServer(signal) {
      await running?.end(signal)
      running = undefined
    },
    serverLog: () => running?.output().split('\n') ?? [],
    async stop() {
      await shop.end('SIGTERM')
      await close()
      await running?.end('SIGTERM')
      await chain.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

async function createDatabase(clusterUrl: string): Promise<string> {
  const name = `stack_${randomBytes(8).toString('hex')}`
  const { pool } = connect({ url: clusterUrl, poolSize: 1, onError })
  await pool.query(`create database ${name}`)
  await pool.end()
  return clusterUrl.replace(/\/postgres$/, `/${name}`)
}
