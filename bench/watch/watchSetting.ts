import { createApp, createHttpContext } from '../../apps/server/src/app.ts'
import { createService } from '../../apps/server/src/createService.ts'
import { serverKeyOf } from '../../apps/server/src/lib/crypto/serverKey.ts'
import { createMetrics } from '../../apps/server/src/lib/metrics/metrics.ts'
import { createRecentActivity } from '../../apps/server/src/lib/recentActivity.ts'
import { noGasless } from '../../apps/server/src/relayer/account/relayerReport.ts'
import type { Db } from '../../apps/server/src/store/connection/connect.ts'
import { watchDatabase } from '../../apps/server/src/store/connection/watchDatabase.ts'
import { fixedKeys } from '../../apps/server/src/store/merchants/serverKeys.ts'
import { listenForNotifications } from '../../apps/server/src/store/notifications.ts'
import { createGuard } from '../../apps/server/src/webhooks/webhookGuard.ts'
import { createMerchant } from '../../tests/support/createMerchant.ts'
import { startChild } from '../child.ts'
import { onError, openBenchDb } from '../openBenchDb.ts'
import type { StubCount, StubState } from './stub.ts'

export const chainId = 84532

type Intent = {
  id: string
  client_secret: string
  expected_wallet: `0x${string}`
  payable_amount_units: number
  payment_reference: `0x${string}`
  status: string
}

export type Setting = {
  readonly db: Db
  /** SQL statements since the last call. */
  queries(): number
  create(): Promise<Intent>
  resolve(intent: Intent): Promise<Intent>
  close(): Promise<void>
}

/** A real PostgreSQL with nothing in it but a merchant, and the real API over it. */
export async function createSetting(): Promise<Setting> {
  const opened = await openBenchDb()
  const { db } = opened
  const changes = await listenForNotifications(db, onError)
  const database = watchDatabase([db])
  const stopping = new AbortController()
  const context = createHttpContext({
    payerActivity: createRecentActivity(),
    db,
    metrics: createMetrics([]),
    printMetrics: async () => '',
    database,
    notifications: changes,
    serverKeys: fixedKeys(serverKeyOf('of a test')),
    publicUrl: 'http://localhost:4242',
    confirmations: () => ({ base: 5, polygon: 20 }),
    network: () => ({ name: 'Bench', nativeSymbol: 'ETH', rpcUrl: '', explorerUrl: null }),
    followed: [],
    developmentChains: null,
    webhookGuard: createGuard({ allowPrivate: false }),
    gasless: noGasless,
    simulateTransfer: async () => null,
    readTransaction: async () => null,
    readBalance: async () => null,
    checkAccountSignature: async () => null,
    resolveLimit: { max: 1_000_000, windowMs: 10_000 },
    addressLimit: { max: 1_000_000, windowMs: 10_000 },
    keyLimit: { max: 60, windowMs: 60_000 },
    stopping: stopping.signal,
    now: Date.now,
    clock: () => ({ now: Date.now(), earliest: Date.now(), skewMs: 0, databaseSkewMs: 0 }),
  })
  const app = createApp(context, createService(context), { trustProxy: false })
  const wallet = `0x${'5'.repeat(40)}` as const
  const { apiKey } = await createMerchant(db.pool, { name: 'Bench', wallet })
  let counted = 0
  const counting = (query: (...args: never[]) => unknown) =>
    function (this: unknown, ...args: never[]) {
      counted += 1
      return query.apply(this, args)
    }
  const client = await db.pool.connect()
  const prototype = Object.getPrototypeOf(client)
  prototype.query = counting(prototype.query)
  client.release()

  async function post(path: string, payload: object, headers = {}): Promise<Intent> {
    const response = await app.inject({ method: 'POST', url: path, payload, headers })
    if (response.statusCode !== 200) throw new Error(response.body)
    return response.json()
  }
  return {
    db,
    queries() {
      const before = counted
      counted = 0
      return before
    },
    create: () =>
      post(
        '/v1/payment_intents',
        { amount_units: 25_000_000 },
        { authorization: `Bearer ${apiKey}` },
      ),
    resolve: ({ client_secret }) => post('/v1/payment_intents/resolve', { client_secret }),
    async close() {
      stopping.abort()
      await app.close()
      await changes.stop()
      await opened.close()
    },
  }
}

/** As many open intents, each with a wallet of its own, by copying an intent. */
export async function watchWallets({ db, create }: Setting, wallets: number): Promise<void> {
  await db.pool.query(
    'truncate payment_intents, watched_topics, chain_cursors, chain_blocks cascade',
  )
  const { id } = await create()
  const wallet = `'0x' || lpad(to_hex(n), 40, '0')`
  const copies = (table: string, fields: string, where: string) => `
    insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${fields}))).*
    from ${table} t, generate_series(2, ${wallets}) n where ${where}`
  await db.pool.query(
    copies(
      'payment_intents',
      `'id', 'pi_' || lpad(n::text, 20, '0'), 'expected_wallet', ${wallet},
       'payment_reference', '0x' || lpad(to_hex(n), 64, '0')`,
      `t.id = '${id}'`,
    ),
  )
  await db.pool.query(copies('watched_topics', `'topic', ${wallet}`, 'true'))
  await db.pool.query('analyze payment_intents, watched_topics')
}

export type Stub = {
  readonly url: string
  /** Changes the chain, and returns the requests since the last change. */
  set(change: Partial<StubState>): Promise<StubCount>
  close(): void
}

export async function startStub(): Promise<Stub> {
  const { child, url } = await startChild(new URL('./stub.ts', import.meta.url))
  return {
    url,
    async set(change) {
      const body = JSON.stringify(change)
      const response = await fetch(`${url}/state`, { method: 'POST', body })
      return (await response.json()) as StubCount
    },
    close: () => child.disconnect(),
  }
}
