import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { collectDefaultMetrics } from 'prom-client'
import { createApp, listen } from './app.ts'
import { follow } from './chain/follow.ts'
import { openProviders } from './chain/openProviders.ts'
import type { Providers } from './chain/providers.ts'
import { listenForChanges } from './changes.ts'
import { createClockWarnings } from './clockFaults.ts'
import {
  type ChainConfig,
  type Config,
  ConfigError,
  confirmationsOf,
  rpcVariable,
} from './config.ts'
import { monotonicMs, openDatabaseClock } from './databaseClock.ts'
import { connect, requestTimeouts } from './db/connect.ts'
import { watchDatabase } from './db/watchDatabase.ts'
import { developmentChain } from './developmentChain.ts'
import { type DevelopmentChains, developmentChains } from './developmentChains.ts'
import { createMetrics } from './metrics.ts'
import type { openOwn } from './openOwn.ts'
import { keepRunning } from './postgres/keepRunning.ts'
import { type Gasless, noGasless } from './relay/gasless.ts'
import type { openRelayers, Relayer } from './relay/openRelayers.ts'
import { createSimulate } from './relay/simulateAuthorization.ts'
import { withdrawLate } from './relay/withdrawLate.ts'
import { deleteHourly } from './retention.ts'
import { openServerKeys } from './secrets/serverKeys.ts'
import { firstSignal } from './signals.ts'
import { explainListen } from './startError.ts'
import { timeOfChains } from './timeOfChains.ts'
import { openTracing } from './tracing/openTracing.ts'
import { untraced } from './tracing/traced.ts'
import { deliverWebhooks } from './webhook/deliver.ts'
import { createPoster } from './webhook/post.ts'
import { createGuard } from './webhookGuard.ts'
import type { Worker } from './workers/joinWorkers.ts'

/** What is being answered has this long to be finished when the server stops. */
const stopPatienceMs = 10_000
/** How soon a server follows a rotation: until then it derives with a key that is still valid. */
const keysEveryMs = 5_000
/** A provider that answers later than this is checked when it does, and used then. */
const startPatienceMs = 3_000

/**
 * Serves until a signal, in this process alone or as one of several workers on one port.
 *
 * @param worker null: this process is the whole server
 * @throws {ConfigError | EmbeddedError | StartError} when it cannot start
 */
export async function serve(
  config: Config,
  log: Logger,
  kept: Opened,
  worker: Worker | null,
): Promise<void> {
  // Workers have numbers from 1: what a server says or does once is the first one's.
  const isFirst = worker === null || worker.number === 1
  const stopping = new AbortController()
  const opened = openPools(config, log, kept)
  const { db, own, database } = opened
  const databaseClock = await openDatabaseClock(own, database.report)
  const local = reachDevelopmentChains(config.chains)
  const followed = config.chains.map((chain) => {
    const { facts, rpcUrls: urls } = chain
    const providers = openProviders({
      ...{ facts, urls, log, now: monotonicMs, databaseNow: databaseClock.now },
      random: Math.random,
    })
    return { ...chain, providers }
  })
  // Asked while the database is; what they answer matters once that has.
  const checked = Promise.all(followed.map(checkAtStart))
  checked.catch(() => {})
  const chainOf = (chainId: number) => followed.find(({ facts }) => facts.chainId === chainId)
  const clock = timeOfChains(
    local,
    databaseClock,
    (chainId) => chainOf(chainId)?.providers.clock() ?? null,
  )
  /** The clock of rows without a chain. A development chain's time is moved, and receivers of webhooks have the real one. */
  const [first] = config.chains
  const now = local || !first ? databaseClock.now : () => clock(first.facts.chainId).now
  const tracing = config.tracing && (await openTracing(config.tracing, log))
  for (const pool of [db, own]) tracing?.statements(pool)
  const traced = tracing?.traced ?? untraced
  const serverKeys = await openServerKeys(own.pool, config)
  const { webhookAllowPrivate: allowPrivate, webhookAllowed: allowed } = config
  const webhookGuard = createGuard({ allowPrivate, allowed })
  const changes = await listenForChanges(db, database.report)
  const idOf = ({ facts }: ChainConfig) => facts.chainId
  const relaying = followed.filter(({ relayer }) => relayer)
  const metrics = createMetrics(followed.map(idOf), relaying.map(idOf))
  collectDefaultMetrics({ register: metrics.registry })
  metrics.watchPool('requests', db)
  metrics.watchPool('own', own)
  const { relayers, gasless } = await openRelayersOf(relaying, {
    ...{ db: own, database, metrics, log, pollMs: config.pollMs, random: Math.random },
    now: databaseClock.now,
  })
  const relayerOf = (chainId: number) => relayers.find((one) => one.chainId === chainId)
  const printMetrics = worker?.sumMetrics(metrics.registry) ?? (() => metrics.registry.metrics())
  const app = createApp(
    {
      db,
      metrics,
      printMetrics,
      database,
      changes,
      serverKeys,
      publicUrl: config.publicUrl,
      confirmations: (mode) => confirmationsOf(config, mode),
      followed: followed.map(({ facts: { chainId }, providers }) => {
        return { chainId, providers, relayer: relayerOf(chainId) }
      }),
      network: (chainId) => chainOf(chainId)?.network,
      developmentChains: local,
      gasless,
      inspectAuthorization: createSimulate({
        providers: (chainId) => chainOf(chainId)?.providers ?? null,
        log,
      }),
      webhookGuard,
      resolveLimit: { max: 60, windowMs: 10_000 },
      addressLimit: { max: config.resolvesPerAddress, windowMs: 10_000 },
      keyLimit: { max: 60, windowMs: 60_000 },
      stopping: stopping.signal,
      now: local?.now ?? now,
      clock,
    },
    { log, trustProxy: config.trustProxy },
  )
  tracing?.requests(app)
  if (isFirst) {
    for (const warning of config.warnings) log.warn(warning)
    if (db.pooler) log.info('a pooler is in front of the database: changes are polled for')
  }

  await checked
  for (const { refresh } of relayers) void refresh()
  await local?.readClocks()
  if (isFirst) {
    const warnOfClocks = createClockWarnings(followed.map(idOf), clock, log)
    warnOfClocks()
    databaseClock.onRead(warnOfClocks)
  }
  const signalled = firstSignal()
  await listen(app, config).catch((error) => {
    throw explainListen(error, config)
  })
  const { pollMs } = config
  const followers = followed.map(({ facts, development, providers }) =>
    follow({
      ...{
        db: own,
        database,
        providers,
        chainId: facts.chainId,
        pollMs,
        now: () => clock(facts.chainId).now,
        blockSeconds: local?.find(facts.chainId)?.blockSeconds,
        log,
        metrics,
        traced,
      },
      // There is nothing to save on a local chain, and a developer who waits for a late payment.
      latePollMs: development ? pollMs : Math.max(30_000, pollMs),
      random: Math.random,
    }),
  )
  const deliveries = deliverWebhooks({
    ...{ db: own, database, poster: createPoster(webhookGuard), serverKeys, log, metrics, traced },
    ...{ random: Math.random, now, concurrency: 512 },
  })
  for (const { start } of relayers) start()
  const withdrawing =
    isFirst && withdrawLate({ db: own, database, log, metrics, signal: stopping.signal })
  changes.onAuthorizationStored((chainId) => relayerOf(chainId)?.wake())
  changes.onWebhookDue(deliveries.wake)
  changes.onEndpointGone(deliveries.drop, deliveries.endpoints)
  let lacksKey = false
  const refreshKeys = setInterval(() => {
    serverKeys.refresh(own.pool).then(
      (hasKey) => {
        const lackedKey = lacksKey
        lacksKey = !hasKey
        if (hasKey || lackedKey) return
        log.error('SERVER_SECRET was rotated to one that this server lacks: restart it with that')
      },
      (error) => database.report(error),
    )
  }, keysEveryMs)
  if (isFirst && serverKeys.isAwaitingRotation) {
    log.warn(
      'SERVER_SECRET is not in use yet: run the command `secret rotate` when every server has it',
    )
  }
  const { retention } = config
  const deleting =
    isFirst && deleteHourly({ db: own, database, retention, signal: stopping.signal, log })

  const signal = await signalled
  stopping.abort()
  // `/readyz` is 503 from here on. A balancer sends requests until it has seen that: they are served as before, and each
  // response closes its connection. At a terminal nobody waits for a balancer.
  if (signal === 'SIGTERM') await sleep(config.shutdownDelayMs)
  // A client that never sends the rest of its request does not delay the stop.
  const late = setTimeout(() => app.server.closeAllConnections(), stopPatienceMs)
  await app.close()
  clearTimeout(late)
  clearInterval(refreshKeys)
  await Promise.all(followers.map((stopFollowing) => stopFollowing()))
  await Promise.all(relayers.map(({ stop }) => stop()))
  for (const { providers } of followed) providers.close()
  await deliveries.stop()
  await withdrawing
  await deleting
  await changes.stop()
  await databaseClock.stop()
  await opened.close()
  if (tracing) await tracing.stop()
  // A last try to send traces may still be under way, and a worker's channel to its parent stays open.
  if (tracing || worker) process.exit()
}

/** What signs is loaded only where something is signed. */
async function openRelayersOf(
  chains: Parameters<typeof openRelayers>[0],
  options: Parameters<typeof openRelayers>[1],
): Promise<{ relayers: readonly Relayer[]; gasless: Gasless }> {
  if (chains.length === 0) return { relayers: [], gasless: noGasless }
  const { openRelayers } = await import('./relay/openRelayers.ts')
  return openRelayers(chains, options)
}

type Opened = Awaited<ReturnType<typeof openOwn>>

/** The server's own work has connections of its own, so that no number of requests holds it up. */
function openPools(config: Config, log: Logger, { db: own, url, embedded, close }: Opened) {
  const timeouts = requestTimeouts(config.databaseTimeoutMs)
  const pooled = own.pooler !== undefined
  const db = connect({ url, poolSize: config.poolSize, timeouts, pooled })
  const database = watchDatabase([db, own], log)
  const keeper = embedded && keepRunning(embedded, database, log)
  return {
    ...{ own, db, database },
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

/** A provider of another chain or token would let every payment go unseen; one that is only down may come back. */
async function checkAtStart({
  facts,
  providers,
  development,
}: ChainConfig & { providers: Providers }) {
  const refused = await providers.start(startPatienceMs)
  // A development chain's clock is read by itself.
  if (refused.length === 0) return development ? undefined : providers.settleClock(startPatienceMs)
  const name = rpcVariable(facts)
  throw new ConfigError(refused.map(({ host, reason }) => `${name}: ${host} ${reason}`).join('\n'))
}
