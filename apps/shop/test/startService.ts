import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDb } from '@payment-intents/server/src/ops/openDb.ts'
import { connect, type Db } from '@payment-intents/server/src/store/connection/connect.ts'
import { setMerchantWallet } from '@payment-intents/server/src/store/merchants/merchants.ts'
import { updateSettings } from '@payment-intents/server/src/store/merchants/settings.ts'
import { type DevChain, startDevChain } from '@payment-intents/testing'
import type { SettingsChange } from '../../../packages/core/src/settings/store.ts'
import { freePort } from '../../../packages/testing/src/devChain/freePort.ts'
import { createMerchant } from '../../../tests/support/createMerchant.ts'
import { patience } from '../../../tests/support/patience.ts'
import { startProcess, type TestProcess } from '../../../tests/support/startProcess.ts'

/**
 * The account that submits payers' signatures. It starts without gas, so that transfers are requested until it has
 * some.
 */
const relayerKey = '0x8d1f6a2b7c3e904f5a6b1c8d2e7f30914b5c6d7e8f9a0b1c2d3e4f5061728394'
export const relayer = '0xAcaDE13e3796652dC9CD1714851c1F3F38ecDd64'

type StoredEvent = { type: string; sequence: number; object: unknown }

export type Service = {
  readonly chain: DevChain
  /** The chain that replaces Polygon's testnet, if requested. */
  readonly polygon: DevChain | null
  readonly apiUrl: string
  readonly apiKey: string
  readonly merchantId: string
  /** The pool of the service's database. */
  readonly pool: Db['pool']
  /** A merchant of the same name with a brand. */
  readonly branded: { readonly apiKey: string; set(brand: SettingsChange): Promise<void> }
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
 * A real chain and server, on free ports and in an empty folder.
 * @param options.polygon the server follows Polygon too, on its own chain
 * @param options.clusterUrl a PostgreSQL in which the server gets its own database; by default it runs its own
 */
export async function startService(
  options: { clusterUrl?: string; polygon?: boolean } = {},
): Promise<Service> {
  const { clusterUrl } = options
  const folder = mkdtempSync(join(tmpdir(), 'payment-intents-e2e-'))
  const dataDir = join(folder, 'server')
  const [chain, polygon, databaseUrl] = await Promise.all([
    startDevChain({ blockTime: 1 }),
    options.polygon ? startDevChain({ chain: 'polygon', blockTime: 1 }) : null,
    clusterUrl === undefined ? null : createDatabase(clusterUrl),
  ])
  const port = await freePort()
  const apiUrl = `http://localhost:${port}`
  let running: TestProcess | undefined
  const startServer = async () => {
    running = startProcess(join(import.meta.dirname, '../../server/dist/server.js'), {
      env: {
        PORT: String(port),
        DATA_DIR: dataDir,
        RPC_URL_BASE_TESTNET: chain.url,
        ...(polygon && {
          RPC_URL_POLYGON_TESTNET: polygon.url,
          CONFIRMATIONS_POLYGON_TESTNET: '5',
        }),
        DEVELOPMENT_CHAIN: 'true',
        RELAYER_KEY_BASE_TESTNET: relayerKey,
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
  const { id: merchantId, apiKey } = await createMerchant(db.pool, { name: 'Hollow Hill', wallet })
  const branded = await createMerchant(db.pool, {
    name: 'Hollow Hill',
    wallet: `0x${randomBytes(20).toString('hex')}`,
  })
  if (polygon) {
    const of = { merchantId, mode: 'testnet', chain: 'polygon' } as const
    await setMerchantWallet(db.pool, { ...of, address: wallet })
  }

  return {
    chain,
    polygon,
    apiUrl,
    apiKey,
    merchantId,
    pool: db.pool,
    branded: {
      apiKey: branded.apiKey,
      async set(brand) {
        await updateSettings(db, branded.id, brand)
      },
    },
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
      await close()
      await running?.end('SIGTERM')
      await Promise.all([chain.stop(), polygon?.stop()])
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
