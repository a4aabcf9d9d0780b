import type { Gasless } from '@payment-intents/core'
import type { Logger } from 'pino'
import { collectDefaultMetrics } from 'prom-client'
import { developmentChain } from './chain/development/developmentChain.ts'
import { type DevelopmentChains, developmentChains } from './chain/development/developmentChains.ts'
import { openProviders } from './chain/providers/openProviders.ts'
import type { Providers } from './chain/providers/providers.ts'
import { type ChainConfig, rpcVariable } from './config/readChainConfig.ts'
import { type Config, ConfigError } from './config.ts'
import { createMetrics } from './lib/metrics/metrics.ts'
import { openTracing } from './lib/tracing/openTracing.ts'
import { keepRunning } from './ops/postgres/keepRunning.ts'
import type { openBackgroundPool } from './ops/workers/backgroundPool.ts'
import type { Worker } from './ops/workers/joinWorkers.ts'
import { noGasless } from './relayer/account/relayerReport.ts'
import type { openRelayers, Relayer } from './relayer/openRelayers.ts'
import { monotonicMs, openDatabaseClock } from './store/clocks/databaseClock.ts'
import { timeOfChains } from './store/clocks/timeOfChains.ts'
import { connect, requestTimeouts } from './store/connection/connect.ts'
import { watchDatabase } from './store/connection/watchDatabase.ts'
import { openServerKeys } from './store/merchants/serverKeys.ts'
import { listenForNotifications } from './store/notifications.ts'
import { createGuard } from './webhooks/webhookGuard.ts'

/** A provider that responds later than this is checked then, and used from then on. */
const startPatienceMs = 3_000

export type Parts = Awaited<ReturnType<typeof openParts>>

/** Opens the resources that requests and background work share. Nothing is served, and no chain is followed. */
export async function openParts(config: Config, log: Logger, pools: Opened, worker: Worker | null) {
  const opened = openPools(config, log, pools)
  const { db, background, database } = opened
  const databaseClock = await openDatabaseClock(background, database.report)
  const local = reachDevelopmentChains(config.chains)
  const followed = config.chains.map((chain) => {
    const { facts, rpcUrls: urls } = chain
    const providers = openProviders({
      ...{ facts, urls, log, now: monotonicMs, databaseNow: databaseClock.now },
      random: Math.random,
    })
    return { ...chain, providers }
  })
  // Called together with the database; their responses matter once the database has responded.
  const checked = Promise.all(followed.map(checkAtStart))
  checked.catch(() => {})
  const chainOf = (chainId: number) => followed.find(({ facts }) => facts.chainId === chainId)
  const clock = timeOfChains(
    local,
    databaseClock,
    (chainId) => chainOf(chainId)?.providers.clock() ?? null,
  )
  /**
   * The clock of rows without a chain. A development chain's time can be moved, while receivers of webhooks have the
   * real time.
   */
  const [first] = config.chains
  const now = local || !first ? databaseClock.now : () => clock(first.facts.chainId).now
  const tracing = config.tracing && (await openTracing(config.tracing, log))
  for (const pool of [db, background]) tracing?.statements(pool)
  const serverKeys = await openServerKeys(background.pool, config)
  const { webhookAllowPrivate: allowPrivate, webhookAllowed: allowed } = config
  const webhookGuard = createGuard({ allowPrivate, allowed })
  const notifications = await listenForNotifications(db, database.report)
  const relaying = followed.filter(({ relayer }) => relayer)
  const metrics = createMetrics(followed.map(idOf), relaying.map(idOf))
  collectDefaultMetrics({ register: metrics.registry })
  metrics.watchPool('requests', db)
  metrics.watchPool('own', background)
  const { relayers, gasless } = await openRelayersOf(relaying, {
    ...{ db: background, database, metrics, log, pollMs: config.pollMs, random: Math.random },
    now: databaseClock.now,
  })
  return {
    ...{
      config,
      log,
      db,
      background,
      database,
      databaseClock,
      local,
      followed,
      checked,
      chainOf,
      clock,
    },
    ...{ now, tracing, serverKeys, webhookGuard, notifications, metrics, relayers, gasless },
    relayerOf: (chainId: number) => relayers.find((relayer) => relayer.chainId === chainId),
    printMetrics: worker?.sumMetrics(metrics.registry) ?? (() => metrics.registry.metrics()),
    // Workers have numbers from 1: the first worker does the work that a server does once.
    isFirst: worker === null || worker.number === 1,
    async close() {
      await notifications.stop()
      await databaseClock.stop()
      await opened.close()
      if (tracing) await tracing.stop()
    },
  }
}

export function idOf({ facts }: ChainConfig): number {
  return facts.chainId
}

/** Signing code is loaded only if something is signed. */
async function openRelayersOf(
  chains: Parameters<typeof openRelayers>[0],
  options: Parameters<typeof openRelayers>[1],
): Promise<{ relayers: readonly Relayer[]; gasless: Gasless }> {
  if (chains.length === 0) return { relayers: [], gasless: noGasless }
  const { openRelayers } = await import('./relayer/openRelayers.ts')
  return openRelayers(chains, options)
}

export type Opened = Awaited<ReturnType<typeof openBackgroundPool>>

/** Background work has its own connections, so that no number of requests delays it. */
function openPools(config: Config, log: Logger, { db: background, url, embedded, close }: Opened) {
  const timeouts = requestTimeouts(config.databaseTimeoutMs)
  const pooled = background.pooler !== undefined
  const db = connect({ url, poolSize: config.poolSize, timeouts, pooled })
  const database = watchDatabase([db, background], log)
  const keeper = embedded && keepRunning(embedded, database, log)
  return {
    ...{ background, db, database },
    async close() {
      await database.stop()
      await keeper?.stop()
      await db.pool.end()
      await close()
    },
  }
}

function reachDevelopmentChains(chains: readonly ChainConfig[]): DevelopmentChains | null {
  const local = chains.flatMap(({ development, facts, rpcUrls: [url] }) =>
    development && url
      ? [developmentChain({ url, chainId: facts.chainId, token: facts.usdc })]
      : [],
  )
  return developmentChains(local)
}

/**
 * With a provider of another chain or token, every payment would stay unnoticed; a provider that is only down may come
 * back.
 */
async function checkAtStart({
  facts,
  providers,
  development,
}: ChainConfig & { providers: Providers }) {
  const refused = await providers.start(startPatienceMs)
  // A development chain's clock is read separately.
  if (refused.length === 0) return development ? undefined : providers.settleClock(startPatienceMs)
  const name = rpcVariable(facts)
  throw new ConfigError(refused.map(({ host, reason }) => `${name}: ${host} ${reason}`).join('\n'))
}
