import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram } from 'prom-client'
import { chainLabels, ofChain } from '../../lib/metrics/chainLabels.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { createDatabaseMetrics } from './databaseMetrics.ts'

/**
 * The metrics that Prometheus scrapes. The label of a route is its pattern, since paths hold ids and callers' input.
 *
 * Every server reports the same values from the database, such as the lag of watched chains: take the maximum over
 * servers. The other metrics belong to this process, or are summed over its workers: take the sum.
 */
export function metricsRoute(app: FastifyInstance, context: HttpContext): void {
  const serverRegistries = [context.metrics.registry]
  const database = createDatabaseMetrics(context)
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to respond to a request; resolve requests are held for up to 25 s.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30],
    registers: serverRegistries,
  })
  const responses = new Counter({
    name: 'payment_intents_http_responses_total',
    help: 'Responses by the class of their status.',
    labelNames: ['class'],
    registers: serverRegistries,
  })
  // An alert compares each with its earlier value, so it must exist before the first response.
  for (const name of ['2xx', '3xx', '4xx', '5xx']) responses.inc({ class: name }, 0)
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request
    const labels = { method, route: routeOptions.url ?? 'none', status: reply.statusCode }
    requests.observe(labels, reply.elapsedTime / 1_000)
    responses.inc({ class: `${Math.floor(reply.statusCode / 100)}xx` })
    done()
  })

  new Gauge({
    name: 'payment_intents_database_writable',
    help: '1 while the database takes the writes of this server; 0 on a full disk or a read-only primary.',
    // The server reports 0 if the writes of any worker fail.
    ...{ registers: serverRegistries, aggregator: 'min' },
    collect() {
      this.set(context.database.writeFault() ? 0 : 1)
    },
  })
  measureProviders(context)
  measureRelayers(context)
  app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
    await database.scrape(request.log)
    reply.type(database.registry.contentType)
    return [await context.printMetrics(), await database.registry.metrics()].join('\n')
  })
}

/** Reports at each scrape the state of the RPC providers that this process knows. */
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
    help: '1 while an RPC provider is ready.',
    // The server reports 0 if any worker cannot reach the provider.
    ...{ labelNames, registers, aggregator: 'min' },
    collect() {
      // A scrape does not wait for the probes: the next scrape shows their results.
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

/** Reports at each scrape the state of the relayers. Only the process that submits has transactions in flight. */
function measureRelayers({ followed, metrics }: HttpContext): void {
  const reports = () =>
    followed.flatMap(({ chainId, relayer }) =>
      relayer ? [{ labels: chainLabels(chainId), ...relayer.report() }] : [],
    )
  type Report = ReturnType<typeof reports>[number]
  const gauge = (name: string, help: string, pick: (report: Report) => number | null) =>
    new Gauge({
      name: `payment_intents_relayer_${name}`,
      help,
      // Only the worker that submits has counts; values such as the balance are the same in all workers.
      ...{ labelNames: ofChain, registers: [metrics.registry], aggregator: 'max' },
      collect() {
        this.reset()
        for (const report of reports()) {
          const value = pick(report)
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
    'remaining_payments',
    'Payments that the balance pays for at the present price of gas.',
    ({ remainingPayments }) => (remainingPayments === null ? null : Number(remainingPayments)),
  )
  gauge(
    'day_spend',
    'What it spent in 24 hours, with what is under way, in that coin.',
    ({ spent }) => coins(spent),
  )
  gauge('in_flight', 'Authorizations that are not on the chain yet.', ({ inFlight }) => inFlight)
  gauge(
    'oldest_seconds',
    'Since the oldest of them was stored, or its current nonce was first used.',
    (report) => report.oldestSeconds,
  )
  gauge(
    'quarantined',
    'Authorizations that failed or whose transactions were reverted, and that are looked at less often.',
    ({ retrying }) => retrying,
  )
  gauge(
    'stuck',
    'Transactions that were replaced, and still wait.',
    (report) => report.pendingReplacements,
  )
}
