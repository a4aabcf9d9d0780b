import { setTimeout as sleep } from 'node:timers/promises'
import { limits, modeSchema } from '@payment-intents/contract'
import type { Logger } from 'pino'
import { raiseAlerts } from './alerts/raiseAlerts.ts'
import { createApp, createHttpContext, listen } from './app.ts'
import { follow } from './chain/follow.ts'
import { createCheckAccountSignature } from './chain/reads/checkAccountSignature.ts'
import { createReadBalance } from './chain/reads/readBalance.ts'
import { createReadTransaction } from './chain/reads/readTransaction.ts'
import { type Config, confirmationsOf } from './config.ts'
import { createService } from './createService.ts'
import { createDashboardApp } from './http/dashboard/dashboardApp.ts'
import type { HttpContext } from './http/transport/httpContext.ts'
import { createRecentActivity } from './lib/recentActivity.ts'
import { firstSignal } from './lib/signals.ts'
import { explainListen } from './lib/startError.ts'
import { type Traced, untraced } from './lib/tracing/traced.ts'
import type { Worker } from './ops/workers/joinWorkers.ts'
import { createSimulate } from './relayer/rpc/simulateAuthorization.ts'
import { withdrawUnbroadcast } from './relayer/withdrawUnbroadcast.ts'
import { createClockWarnings } from './store/clocks/clockFaults.ts'
import { deleteHourly } from './store/retention.ts'
import { createPoster } from './webhooks/createPoster.ts'
import { deliverWebhooks } from './webhooks/deliverWebhooks.ts'
import { idOf, type Opened, openParts, type Parts } from './wiring.ts'

const payerWindowMs = limits.payerRequests.seconds * 1_000
/** Requests in flight have this long to finish when the server stops. */
const stopPatienceMs = 10_000
/** How soon a server follows a rotation: until then it derives with a key that is still valid. */
const keysEveryMs = 5_000

/**
 * Serves until a signal, in this process alone or as one of several workers on one port. The order matters: listen when
 * everything that a request needs is open; then start the background work; stop requests first, then that work, then
 * their shared resources.
 * @param worker null: this process is the whole server
 * @throws {ConfigError | EmbeddedError | StartError} if it cannot start
 */
export async function serve(
  config: Config,
  log: Logger,
  pools: Opened,
  worker: Worker | null,
): Promise<void> {
  const parts = await openParts(config, log, pools, worker)
  const stopping = new AbortController()
  const apps = openApps(parts, stopping.signal)
  if (parts.isFirst) {
    for (const warning of config.warnings) log.warn(warning)
    if (parts.db.pooler) log.info('a pooler is in front of the database: changes are polled for')
  }

  await parts.checked
  for (const { refresh } of parts.relayers) void refresh()
  await parts.local?.readClocks()
  if (parts.isFirst) watchClocks(parts)
  const signalled = firstSignal()
  for (const { app, port } of apps) {
    const at = { host: config.host, port }
    await listen(app, at).catch((error) => {
      throw explainListen(error, at)
    })
  }
  const stopWork = startWork(parts, stopping.signal)

  const signal = await signalled
  stopping.abort()
  // `/readyz` is 503 from here on. A balancer sends requests until it reads that: they are served as before, and each
  // response closes its connection. At a terminal nobody waits for a balancer.
  if (signal === 'SIGTERM') await sleep(config.shutdownDelayMs)
  // A client that never sends the rest of its request does not delay the stop.
  const late = setTimeout(() => {
    for (const { app } of apps) app.server.closeAllConnections()
  }, stopPatienceMs)
  await Promise.all(apps.map(({ app }) => app.close()))
  clearTimeout(late)
  await stopWork()
  await parts.close()
  // A last attempt to send traces may still be in progress, and a worker's channel to its parent stays open.
  if (parts.tracing || worker) process.exit()
}

/** The listening servers, each at a port: for programs and payers, and for the dashboard. */
function openApps(parts: Parts, stopping: AbortSignal) {
  const { config, log, followed } = parts
  const { trustProxy, port, dashboard } = config
  const context = openHttpContext(parts, stopping)
  const service = createService(context)
  const apps = [{ app: createApp(context, service, { log, trustProxy }), port }]
  if (dashboard) {
    const modes = modeSchema.options.filter((mode) =>
      followed.some(({ facts }) => facts.mode === mode),
    )
    // A development chain's clock can be moved; sessions end by the real clock.
    const { now } = parts.databaseClock
    const sendsMail = config.mail !== null
    const options = { log, trustProxy, modes, now, sendsMail, dashboardUrl: dashboard.url }
    apps.push({ app: createDashboardApp(context, service, options), port: dashboard.port })
  }
  for (const { app } of apps) parts.tracing?.requests(app)
  return apps
}

function openHttpContext(parts: Parts, stopping: AbortSignal): HttpContext {
  const { config, log, local, followed, chainOf, relayerOf, clock } = parts
  const { db, metrics, printMetrics, database, notifications, serverKeys, gasless, webhookGuard } =
    parts
  return createHttpContext({
    payerActivity: createRecentActivity(),
    ...{ db, metrics, printMetrics, database, notifications, serverKeys, gasless, webhookGuard },
    ...{ clock, stopping },
    publicUrl: config.publicUrl,
    confirmations: (mode) => confirmationsOf(config, mode),
    followed: followed.map(({ facts: { chainId }, providers }) => {
      return { chainId, providers, relayer: relayerOf(chainId) }
    }),
    network: (chainId) => chainOf(chainId)?.network,
    developmentChains: local,
    simulateTransfer: createSimulate({
      providers: (chainId) => chainOf(chainId)?.providers ?? null,
      log,
    }),
    readTransaction: createReadTransaction({
      providers: (chainId) => chainOf(chainId)?.providers ?? null,
      log,
    }),
    readBalance: createReadBalance({
      providers: (chainId) => chainOf(chainId)?.providers ?? null,
      log,
    }),
    checkAccountSignature: createCheckAccountSignature({
      providers: (chainId) => chainOf(chainId)?.providers ?? null,
      log,
    }),
    resolveLimit: { max: limits.payerRequests.max, windowMs: payerWindowMs },
    addressLimit: { max: config.resolvesPerAddress, windowMs: payerWindowMs },
    keyLimit: { max: 60, windowMs: 60_000 },
    now: local?.now ?? parts.now,
  })
}

function watchClocks({ followed, clock, log, databaseClock }: Parts): void {
  const warnOfClocks = createClockWarnings(followed.map(idOf), clock, log)
  warnOfClocks()
  databaseClock.onRead(warnOfClocks)
}

/**
 * Starts the background work: followers, relayers, deliveries and periodic work.
 * @returns a function that stops it, in an order in which nothing misses its dependencies
 */
function startWork(parts: Parts, stopping: AbortSignal): () => Promise<void> {
  const { config, log, background, database, followed, relayers, serverKeys, metrics } = parts
  const { notifications, relayerOf, isFirst, tracing } = parts
  const traced = tracing?.traced ?? untraced
  const followers = followed.map((chain) => startFollower(parts, chain, traced))
  const deliveries = deliverWebhooks({
    ...{
      db: background,
      database,
      poster: createPoster(parts.webhookGuard),
      serverKeys,
      log,
      metrics,
    },
    ...{ traced, random: Math.random, now: parts.now, concurrency: 512 },
  })
  for (const { start } of relayers) start()
  const withdrawing =
    isFirst && withdrawUnbroadcast({ db: background, database, log, metrics, signal: stopping })
  const alerting = isFirst && startAlerts(parts, stopping)
  notifications.onAuthorizationStored((chainId) => relayerOf(chainId)?.wake())
  notifications.onWebhookDue(deliveries.wake)
  notifications.onEndpointDisabled(deliveries.drop, deliveries.endpoints)
  const refreshing = refreshKeys(parts)
  const { retention } = config
  const deleting =
    isFirst && deleteHourly({ db: background, database, retention, signal: stopping, log })
  return async () => {
    clearInterval(refreshing)
    await Promise.all(followers.map((stopFollowing) => stopFollowing()))
    await Promise.all(relayers.map(({ stop }) => stop()))
    for (const { providers } of followed) providers.close()
    await deliveries.stop()
    await withdrawing
    await deleting
    await alerting
  }
}

/** Raises alerts, and sends mail if a mail server is configured: nothing else loads their code. */
async function startAlerts(parts: Parts, signal: AbortSignal): Promise<void> {
  const { config, background: db, database, log, metrics, local } = parts
  const context = { db, database, log, metrics, signal }
  const { dashboard, mail } = config
  const dashboardUrl = dashboard?.url ?? null
  const raising = raiseAlerts({ ...context, dashboardUrl, now: local?.now ?? parts.now })
  if (mail) {
    const [{ openMailer }, { sendMails }] = await Promise.all([
      import('./mail/openMailer.ts'),
      import('./mail/sendMails.ts'),
    ])
    await sendMails({ ...context, mailer: openMailer(mail), random: Math.random })
  }
  await raising
}

function startFollower(
  { config: { pollMs }, background, database, clock, local, log, metrics }: Parts,
  { facts: { chainId }, development, providers }: Parts['followed'][number],
  traced: Traced,
): () => Promise<void> {
  return follow({
    ...{ db: background, database, providers, chainId, pollMs, log, metrics, traced },
    now: () => clock(chainId).now,
    blockSeconds: local?.find(chainId)?.blockSeconds,
    // A local chain costs nothing, and a developer may wait for a late payment.
    latePollMs: development ? pollMs : Math.max(30_000, pollMs),
    random: Math.random,
  })
}

/** Follows rotations of the server's secret; logs once if this server lacks the new secret. */
function refreshKeys({ serverKeys, background, database, log, isFirst }: Parts): NodeJS.Timeout {
  let lacksKey = false
  if (isFirst && serverKeys.isAwaitingRotation) {
    log.warn(
      'SERVER_SECRET is not in use yet: run the command `secret rotate` when every server has it',
    )
  }
  return setInterval(() => {
    serverKeys.refresh(background.pool).then(
      (hasKey) => {
        const lackedKey = lacksKey
        lacksKey = !hasKey
        if (hasKey || lackedKey) return
        log.error('SERVER_SECRET was rotated to one that this server lacks: restart it with that')
      },
      (error) => database.report(error),
    )
  }, keysEveryMs)
}
