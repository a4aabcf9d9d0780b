import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { inTime } from '../../lib/inTime.ts'
import { chainLabels, ofChain } from '../../lib/metrics.ts'
import { readBacklog } from '../../store/webhook-endpoints/readBacklog.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { readLagsInTime } from './lags.ts'

/**
 * What Prometheus scrapes. A route is labelled by its pattern, since paths hold ids and what callers sent.
 *
 * What is read from the database, such as the lag of chains on which somebody waits for a payment, each server reports
 * whole: take the maximum over servers. The rest is of this process, or summed over its workers: take the sum.
 */
export function metricsRoute(app: FastifyInstance, context: HttpContext): void {
  const own = [context.metrics.registry]
  const shared = new Registry()
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer a request; resolve requests are held for up to 25 s.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30],
    registers: own,
  })
  const responses = new Counter({
    name: 'payment_intents_http_responses_total',
    help: 'Responses by the class of their status.',
    labelNames: ['class'],
    registers: own,
  })
  // An alert compares them with what they were before, so they are there before the first.
  for (const name of ['2xx', '3xx', '4xx', '5xx']) responses.inc({ class: name }, 0)
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name: `payment_intents_${name}`, help, labelNames, registers: [shared] })
  const databaseUp = gauge(
    'database_up',
    '1 when the database answered this scrape; without it there are no metrics of chains.',
    [],
  )
  const lagSeconds = gauge(
    'chain_lag_seconds',
    'Seconds since a chain was last read or, if that is longer, since it last had a new block.',
    ofChain,
  )
  const standstill = gauge(
    'chain_standstill_seconds',
    'Seconds for which no provider of a chain showed a new block.',
    ofChain,
  )
  const providerStandstill = gauge(
    'provider_standstill_seconds',
    'Seconds for which an RPC provider that responds showed no new block.',
    [...ofChain, 'provider'],
  )
  const lagBlocks = gauge(
    'chain_lag_blocks',
    'Blocks that were not read yet when a chain was last read.',
    ofChain,
  )
  const quarantined = gauge(
    'quarantined_transactions',
    'Transactions that no provider could show whole for 30 seconds and more; payments in them are not seen.',
    ofChain,
  )
  const foundLate = new Counter({
    name: 'payment_intents_transfers_found_late_total',
    help: 'Transfers that a provider did not show when their blocks were read first.',
    labelNames: ofChain,
    registers: [shared],
  })
  const skew = gauge(
    'clock_skew_seconds',
    'How far the clock of a chain is ahead of this server; 0 up to a few seconds.',
    ofChain,
  )
  const databaseSkew = gauge(
    'database_clock_skew_seconds',
    'How far the clock of a chain is ahead of the database; 0 up to a few seconds.',
    ofChain,
  )
  const open = gauge(
    'open',
    'Payment intents that wait for a payment or for its depth, by status; of 10,000 and more, 10,000.',
    [...ofChain, 'status'],
  )
  const oldestDue = gauge(
    'webhook_oldest_due_seconds',
    'Seconds since the oldest webhook that is due, to an enabled endpoint, was due; 0 where none is.',
    [],
  )
  const disabled = gauge(
    'webhook_endpoints_disabled',
    'Webhook endpoints that were disabled since they are gone or failed for five days.',
    [],
  )
  const fromDatabase = [
    ...[lagSeconds, lagBlocks, standstill, providerStandstill],
    ...[quarantined, foundLate, open, oldestDue, disabled],
  ]

  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request
    const labels = { method, route: routeOptions.url ?? 'none', status: reply.statusCode }
    requests.observe(labels, reply.elapsedTime / 1_000)
    responses.inc({ class: `${Math.floor(reply.statusCode / 100)}xx` })
    done()
  })

  async function scrapeDatabase(log: Parameters<typeof readLagsInTime>[1]): Promise<void> {
    const { pool } = context.db
    const ids = context.followed.map(({ chainId }) => chainId)
    const [lags, backlog] = await Promise.all([
      readLagsInTime(context, log),
      context.database.isAway()
        ? null
        : inTime(
            readBacklog(pool, ids).catch(() => null),
            pool.options.connectionTimeoutMillis ?? 0,
          ),
    ])
    databaseUp.set(lags ? 1 : 0)
    for (const metric of [...fromDatabase, skew, databaseSkew]) metric.reset()
    for (const { chainId } of context.followed) {
      const { skewMs, databaseSkewMs } = context.clock(chainId)
      skew.set(chainLabels(chainId), skewMs / 1000)
      databaseSkew.set(chainLabels(chainId), databaseSkewMs / 1000)
    }
    for (const { chainId, seconds, blocks, ...counts } of lags ?? []) {
      const labels = chainLabels(chainId)
      lagSeconds.set(labels, seconds)
      standstill.set(labels, counts.standstillSeconds)
      for (const { host: provider, standstillSeconds } of counts.providers) {
        providerStandstill.set({ ...labels, provider }, standstillSeconds)
      }
      if (blocks !== null) lagBlocks.set(labels, blocks)
    }
    if (!backlog) return
    for (const { chainId, status, count } of backlog.open) {
      open.set({ ...chainLabels(chainId), status }, count)
    }
    for (const { chainId, ...counts } of backlog.chains) {
      quarantined.set(chainLabels(chainId), counts.quarantined)
      foundLate.inc(chainLabels(chainId), counts.foundLate)
    }
    oldestDue.set(backlog.oldestDueSeconds)
    disabled.set(backlog.disabledEndpoints)
  }

  new Gauge({
    name: 'payment_intents_database_writable',
    help: '1 while the database takes the writes of this server; 0 on a full disk or a read-only primary.',
    // One worker whose writes fail is enough to know.
    ...{ registers: own, aggregator: 'min' },
    collect() {
      this.set(context.database.writeFault() ? 0 : 1)
    },
  })
  measureProviders(context)
  measureRelayers(context)
  app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
    await scrapeDatabase(request.log)
    reply.type(shared.contentType)
    return [await context.printMetrics(), await shared.metrics()].join('\n')
  })
}

/** What this process knows of the RPC providers, at each scrape. */
function measureProviders({ followed, metrics }: HttpContext): void {
  const registers = [metrics.registry]
  const labelNames = [...ofChain, 'provider'] as const
  const reports = () =>
    followed.flatMap(({ chainId, providers }) =>
      providers.report().map(({ host: provider, ...report }) => ({
        labels: { ...chainLabels(chainId), provider },
        ...report,
      })),
    )
  new Gauge({
    name: 'payment_intents_provider_up',
    help: '1 while an RPC provider can be asked.',
    // Of workers, one that cannot ask it is enough to know.
    ...{ labelNames, registers, aggregator: 'min' },
    collect() {
      // The next scrape has the answers.
      for (const { providers } of followed) void providers.probe()
      this.reset()
      for (const { labels, isReady } of reports()) this.set(labels, isReady ? 1 : 0)
    },
  })
  new Counter({
    name: 'payment_intents_provider_failures_total',
    help: 'Failures of an RPC provider.',
    ...{ labelNames, registers },
    collect() {
      this.reset()
      for (const { labels, failures } of reports()) this.inc(labels, failures)
    },
  })
  new Counter({
    name: 'payment_intents_provider_disagreements_total',
    help: 'Times that a second provider did not confirm a payment that the first one showed.',
    ...{ labelNames, registers },
    collect() {
      this.reset()
      for (const { labels, disagreements } of reports()) this.inc(labels, disagreements)
    },
  })
}

/** What this process knows of the relayers, at each scrape. One process submits; the others have nothing in flight. */
function measureRelayers({ followed, metrics }: HttpContext): void {
  const reports = () =>
    followed.flatMap(({ chainId, relayer }) =>
      relayer ? [{ labels: chainLabels(chainId), ...relayer.report() }] : [],
    )
  type Report = ReturnType<typeof reports>[number]
  const gauge = (name: string, help: string, read: (report: Report) => number | null) =>
    new Gauge({
      name: `payment_intents_relayer_${name}`,
      help,
      // Of workers, the one that submits knows; what all of them read, such as the balance, is the same.
      ...{ labelNames: ofChain, registers: [metrics.registry], aggregator: 'max' },
      collect() {
        this.reset()
        for (const report of reports()) {
          const value = read(report)
          if (value !== null) this.set(report.labels, value)
        }
      },
    })
  const coins = (wei: bigint | null) => (wei === null ? null : Number(wei) / 1e18)
  gauge('offered', '1 while payments without gas are offered.', ({ reason }) =>
    reason === null ? 1 : 0,
  )
  gauge('balance', 'What a relayer has for gas, in the coin of its chain.', ({ balance }) =>
    coins(balance),
  )
  gauge(
    'payments_left',
    'Payments that the balance pays for at the present price of gas.',
    ({ paymentsLeft }) => (paymentsLeft === null ? null : Number(paymentsLeft)),
  )
  gauge(
    'day_spend',
    'What it spent in 24 hours, with what is under way, in that coin.',
    ({ spent }) => coins(spent),
  )
  gauge('in_flight', 'Authorizations that are not on the chain yet.', ({ inFlight }) => inFlight)
  gauge(
    'oldest_seconds',
    'Since the oldest of them was submitted, or last broadcast.',
    (report) => report.oldestSeconds,
  )
  gauge(
    'quarantined',
    'Authorizations that failed or whose transactions were reverted, and that are looked at less often.',
    ({ quarantined }) => quarantined,
  )
  gauge('stuck', 'Transactions that were replaced, and still wait.', ({ stuck }) => stuck)
}
