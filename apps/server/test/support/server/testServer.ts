import { randomBytes } from 'node:crypto'
import type { Address, Chain, Mode } from '@payment-intents/contract'
import { chainFacts } from '@payment-intents/contract'
import { createApp, createHttpContext, listen } from '../../../src/app.ts'
import type { DevelopmentChain } from '../../../src/chain/development/developmentChain.ts'
import { developmentChains } from '../../../src/chain/development/developmentChains.ts'
import type { TrustProxy } from '../../../src/config/schemas.ts'
import { createService } from '../../../src/createService.ts'
import { createDashboardApp } from '../../../src/http/dashboard/dashboardApp.ts'
import type { HttpContext } from '../../../src/http/transport/httpContext.ts'
import { classifyDbError } from '../../../src/lib/classifyDbError.ts'
import { createLog } from '../../../src/lib/createLog.ts'
import { apiKeyHint, hashApiKey, newApiKey } from '../../../src/lib/crypto/apiKey.ts'
import { serverKeyOf } from '../../../src/lib/crypto/serverKey.ts'
import type { DnsResolver } from '../../../src/lib/dnsResolver.ts'
import { createMetrics } from '../../../src/lib/metrics/metrics.ts'
import { createRecentActivity, type RecentActivity } from '../../../src/lib/recentActivity.ts'
import { readWebhookTarget } from '../../../src/lib/webhookTargets.ts'
import { noGasless } from '../../../src/relayer/account/relayerReport.ts'
import { timeOfChains } from '../../../src/store/clocks/timeOfChains.ts'
import type { Db } from '../../../src/store/connection/connect.ts'
import { watchDatabase } from '../../../src/store/connection/watchDatabase.ts'
import { newId } from '../../../src/store/lists/ids.ts'
import { type ApiKeyScope, insertApiKey } from '../../../src/store/merchants/apiKeys.ts'
import { insertMerchant, setMerchantWallet } from '../../../src/store/merchants/merchants.ts'
import { fixedKeys } from '../../../src/store/merchants/serverKeys.ts'
import { updateSettings } from '../../../src/store/merchants/settings.ts'
import { listenForNotifications } from '../../../src/store/notifications.ts'
import { createPoster } from '../../../src/webhooks/createPoster.ts'
import { type Deliveries, deliverWebhooks } from '../../../src/webhooks/deliverWebhooks.ts'
import { createGuard } from '../../../src/webhooks/webhookGuard.ts'
import { createTestDb } from '../database/testDb.ts'

export const shopWallet: Address = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'
/** Polygon, on which the test server accepts no payments. */
export const unfollowedChainId = 137
/** Tests that deliver webhooks themselves sign with the same keys. */
export const serverKeys = fixedKeys(serverKeyOf('of the test server'))
const testChainId = chainFacts('testnet', 'base').chainId
const noProviders = {
  probe: async () => {},
  report: () => [
    { host: 'rpc.example', isReady: true, reason: null, failures: 0, disagreements: 0 },
  ],
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses without schemas
export type Json = any
export type TestResponse = Omit<Response, 'json'> & { json(): Promise<Json> }

export type TestServer = {
  db: Db
  url: string
  logs: string[]
  /** The routes as Fastify prints them, in a tree. */
  routes(): string
  /** The dashboard's port; 0: no dashboard. */
  dashboardPort: number
  /** The dashboard's routes, such as `GET /v1/events`. */
  dashboardRoutes(): string[]
  request(path: string, init?: RequestInit): Promise<TestResponse>
  /** Deletes every row of the server's own database. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** Starts the real server on a free port, with a database of its own. It follows no chain by itself. */
export async function startTestServer(
  options: {
    resolveLimit?: { max: number; windowMs: number }
    addressLimit?: { max: number; windowMs: number }
    keyLimit?: { max: number; windowMs: number }
    trustProxy?: TrustProxy
    db?: Db
    /** A development chain, or several in order. */
    developmentChain?: DevelopmentChain | readonly DevelopmentChain[]
    /** `delivering` also posts due webhooks, even to this machine. */
    webhooks?: 'delivering' | 'public_only' | 'kept'
    poster?: { timeoutMs: number }
    /** Entries of `WEBHOOK_ALLOW_HOSTS`. */
    webhookHosts?: readonly string[]
    clock?: HttpContext['clock']
    /** By default Base's testnet, without usable providers. */
    followed?: HttpContext['followed']
    /** Decides which authorizations are accepted; by default none. */
    gasless?: HttpContext['gasless']
    /** Simulates authorizations on the chain. */
    simulateTransfer?: HttpContext['simulateTransfer']
    readTransaction?: HttpContext['readTransaction']
    checkAccountSignature?: HttpContext['checkAccountSignature']
    readBalance?: HttpContext['readBalance']
    /** Aborted when the server is about to stop. */
    stopping?: AbortController
    names?: DnsResolver
    payerActivity?: RecentActivity
    /** Also serves the dashboard, at the port of its URL or else at a free port. */
    dashboard?: { url: string; now: () => number; sendsMail?: boolean }
  } = {},
): Promise<TestServer> {
  const testDb = options.db ? null : await createTestDb()
  const db = options.db ?? testDb
  if (!db) throw new Error('unreachable')
  const { stopping = new AbortController() } = options
  const logs: string[] = []
  const log = createLog('debug', { write: (line: string) => void logs.push(line) })
  const database = watchDatabase([db], log)
  const changes = await listenForNotifications(db, (error) => {
    // A slow machine may take a second to respond, after which the connection is replaced.
    if (classifyDbError(error) === null) throw error
    database.report(error)
  })
  const webhookGuard = createGuard({
    allowPrivate: options.webhooks !== 'public_only',
    allowed: (options.webhookHosts ?? []).map((text) => {
      const target = readWebhookTarget(text)
      if (!target) throw new Error(`${text} is no target.`)
      return target
    }),
    ...(options.names ? { names: options.names } : {}),
  })
  const local = developmentChains([options.developmentChain ?? []].flat())
  const metrics = createMetrics([testChainId])
  metrics.watchPool('requests', db)
  const context = createHttpContext({
    db,
    payerActivity: options.payerActivity ?? createRecentActivity(),
    metrics,
    printMetrics: () => metrics.registry.metrics(),
    database,
    notifications: changes,
    serverKeys,
    publicUrl: 'http://localhost:4242',
    confirmations: (mode) => (mode === 'testnet' ? { base: 5, polygon: 20 } : { base: 5 }),
    network: (chainId) =>
      chainId === unfollowedChainId
        ? undefined
        : {
            name: `Chain ${chainId}`,
            nativeSymbol: 'ETH',
            rpcUrl: 'http://localhost:8545',
            explorerUrl: null,
          },
    followed: options.followed ?? [{ chainId: testChainId, providers: noProviders }],
    developmentChains: local,
    gasless: options.gasless ?? noGasless,
    simulateTransfer: options.simulateTransfer ?? (async () => null),
    readTransaction: options.readTransaction ?? (async () => null),
    checkAccountSignature: options.checkAccountSignature ?? (async () => null),
    readBalance: options.readBalance ?? (async () => null),
    webhookGuard,
    resolveLimit: options.resolveLimit ?? { max: 1_000, windowMs: 10_000 },
    addressLimit: options.addressLimit ?? { max: 100_000, windowMs: 10_000 },
    keyLimit: options.keyLimit ?? { max: 100_000, windowMs: 10_000 },
    stopping: stopping.signal,
    now: local?.now ?? Date.now,
    clock:
      options.clock ?? timeOfChains(local, { now: Date.now, chain: () => undefined }, () => null),
  })
  const service = createService(context)
  const readOptions = { log, trustProxy: options.trustProxy ?? false }
  const app = createApp(context, service, readOptions)
  const url = await listen(app, { host: '127.0.0.1', port: 0 })
  const { dashboard } = options
  const dashboardApp = dashboard
    ? createDashboardApp(context, service, {
        ...readOptions,
        ...{
          dashboardUrl: dashboard.url,
          modes: ['testnet', 'mainnet'],
          sendsMail: true,
          ...dashboard,
        },
      })
    : null
  const dashboardAt =
    dashboard &&
    dashboardApp &&
    (await listen(dashboardApp, { host: '127.0.0.1', port: Number(new URL(dashboard.url).port) }))
  let deliveries: Deliveries | undefined
  if (options.webhooks !== undefined && options.webhooks !== 'kept') {
    deliveries = deliverWebhooks({
      db,
      database,
      poster: createPoster(webhookGuard, options.poster),
      serverKeys,
      log: app.log,
      metrics,
      ...{ random: () => 0, now: Date.now },
      concurrency: 64,
    })
    changes.onWebhookDue(deliveries.wake)
    changes.onEndpointDisabled(deliveries.drop, deliveries.endpoints)
  }
  return {
    db,
    url,
    logs,
    routes: () => app.printRoutes({ commonPrefix: false }),
    dashboardPort: dashboardAt ? Number(new URL(dashboardAt).port) : 0,
    dashboardRoutes: () => routesOf(dashboardApp),
    request: (path, init) => fetch(url + path, init),
    async clear() {
      if (!testDb) throw new Error('The database is shared.')
      await testDb.clear()
    },
    async close() {
      stopping.abort()
      await app.close()
      await dashboardApp?.close()
      await deliveries?.stop()
      await changes.stop()
      await database.stop()
      await testDb?.close()
    },
  }
}

/** Reads the routes from Fastify's tree of paths and methods. */
function routesOf(app: ReturnType<typeof createApp> | null): string[] {
  const lines = app?.printRoutes({ commonPrefix: false, includeHooks: false }).split('\n') ?? []
  const parents: string[] = []
  return lines.flatMap((line) => {
    const [, indent = '', part = '', methods] = /^([│├└─ ]*)(\S+)(?: \((.*)\))?$/.exec(line) ?? []
    const depth = Math.floor(indent.length / 4)
    parents[depth] = part
    const path = parents.slice(0, depth + 1).join('')
    const taken =
      methods?.split(', ').filter((method) => method !== 'HEAD' && method !== 'OPTIONS') ?? []
    return taken.map((method) => `${method} ${path.replace(/\/$/, '')}`)
  })
}

/** Creates a merchant with a wallet and an API key. */
export async function createTestMerchant(
  db: Db,
  options: {
    mode?: Mode
    chain?: Chain
    wallet?: Address
    defaultChain?: Chain
    matchPlainPrice?: boolean
  } = {},
): Promise<{ id: string; apiKey: string }> {
  const { mode = 'testnet', chain = 'base', wallet: address = shopWallet } = options
  const { matchPlainPrice = false } = options
  const id = newId('mer', Date.now())
  await insertMerchant(db.pool, { id, name: 'Test', defaultChain: options.defaultChain ?? null })
  await setMerchantWallet(db.pool, { merchantId: id, mode, chain, address })
  if (matchPlainPrice) await updateSettings(db, id, { chains: [{ mode, chain, matchPlainPrice }] })
  return { id, apiKey: await createTestKey(db, id, mode) }
}

export async function createTestKey(
  db: Db,
  merchantId: string,
  mode: Mode,
  scope: ApiKeyScope = 'full',
): Promise<string> {
  const apiKey = newApiKey(mode)
  await insertApiKey(db.pool, {
    id: newId('key', Date.now()),
    merchantId,
    mode,
    hash: hashApiKey(apiKey),
    hint: apiKeyHint(apiKey),
    scope,
  })
  return apiKey
}

export function randomWallet(): Address {
  return `0x${randomBytes(20).toString('hex')}`
}

export const testToken = chainFacts('testnet', 'base').usdc

/** A server in this process or in another. */
type Requested = Pick<TestServer, 'request'>

/** Sends a `POST` with a JSON body, or with a text unchanged. */
export function post(
  server: Requested,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return server.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** Creates an intent over HTTP, and returns the body of the response. */
export async function createIntent(
  server: Requested,
  apiKey: string,
  body: Record<string, unknown> = {},
): Promise<Json> {
  const response = await post(
    server,
    '/v1/payment_intents',
    { amount_units: 25_000_000, ...body },
    { authorization: `Bearer ${apiKey}` },
  )
  const content = await response.json()
  if (response.status !== 200) throw new Error(JSON.stringify(content))
  return content
}

export async function resolveIntent(
  server: Requested,
  clientSecret: string,
  more: Record<string, unknown> = {},
): Promise<Json> {
  const response = await post(server, '/v1/payment_intents/resolve', {
    client_secret: clientSecret,
    ...more,
  })
  const content = await response.json()
  if (response.status !== 200) throw new Error(JSON.stringify(content))
  return content
}
