import { chainFactsOf } from '@payment-intents/contract'
import type { FastifyInstance } from 'fastify'
import { Gauge, Histogram, Registry } from 'prom-client'
import type { HttpContext } from './context.ts'
import { readLagsInTime } from './lags.ts'

/**
 * What Prometheus scrapes. A route is labelled by its pattern, since paths hold ids and what callers sent.
 *
 * Chains are those on which somebody waits for a payment; read from the database, so that each server reports all of them.
 */
export function metricsRoute(app: FastifyInstance, context: HttpContext): void {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer a request; resolve requests are held for up to 25 s.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30],
    registers,
  })
  const databaseUp = new Gauge({
    name: 'payment_intents_database_up',
    help: '1 when the database answered this scrape; without it there are no metrics of chains.',
    registers,
  })
  const ofChain = (name: string, help: string) =>
    new Gauge({ name: `payment_intents_${name}`, help, labelNames: ['chain', 'mode'], registers })
  const lagSeconds = ofChain('chain_lag_seconds', 'Seconds since a chain was last read.')
  const lagBlocks = ofChain(
    'chain_lag_blocks',
    'Blocks that were not read yet when a chain was last read.',
  )
  const setAside = ofChain(
    'set_aside_transactions',
    'Transactions that no provider could show whole; each is asked for by itself.',
  )
  const foundLate = ofChain(
    'transfers_found_late_total',
    'Transfers that a provider did not show when their blocks were read first.',
  )
  const skew = ofChain(
    'clock_skew_seconds',
    'How far the clock of a chain is ahead of this server; 0 up to a few seconds.',
  )

  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request
    const labels = { method, route: routeOptions.url ?? 'none', status: reply.statusCode }
    requests.observe(labels, reply.elapsedTime / 1_000)
  })

  app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
    const lags = await readLagsInTime(context, request.log)
    databaseUp.set(lags ? 1 : 0)
    for (const gauge of [lagSeconds, lagBlocks, setAside, foundLate, skew]) gauge.reset()
    for (const { chainId, seconds, blocks, ...counts } of lags ?? []) {
      const { chain, mode } = chainFactsOf(chainId)
      lagSeconds.set({ chain, mode }, seconds)
      setAside.set({ chain, mode }, counts.setAside)
      foundLate.set({ chain, mode }, counts.foundLate)
      skew.set({ chain, mode }, context.clock(chainId).skewMs / 1000)
      if (blocks !== null) lagBlocks.set({ chain, mode }, blocks)
    }
    reply.type(registry.contentType)
    return registry.metrics()
  })
}
