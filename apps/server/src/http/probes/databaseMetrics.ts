import { Counter, Gauge, Registry } from 'prom-client'
import { inTime } from '../../lib/inTime.ts'
import { chainLabels, ofChain } from '../../lib/metrics.ts'
import { readBacklog } from '../../store/webhook-endpoints/readBacklog.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { readLagsInTime } from './lags.ts'

/** Metrics that the database has. Each server reports them whole: take the maximum over servers. */
export function createDatabaseMetrics(context: HttpContext): {
  readonly registry: Registry
  /** Reads them from the database. */
  scrape(log: Parameters<typeof readLagsInTime>[1]): Promise<void>
} {
  const shared = new Registry()
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
  const refunds = gauge(
    'refunds_open',
    'Refunds that wait for a destination, a signature or their transfer; of 10,000 and more, 10,000.',
    ofChain,
  )
  const oldestRefund = gauge(
    'refund_oldest_seconds',
    'Seconds since the oldest refund that waits was created; 0 where none does.',
    ofChain,
  )
  const uncoveredRefunds = gauge(
    'refunds_uncovered',
    'Refunds that were signed or paid although the chain took their payment back since.',
    ofChain,
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
    ...[refunds, oldestRefund, uncoveredRefunds],
  ]

  async function scrape(log: Parameters<typeof readLagsInTime>[1]): Promise<void> {
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
      refunds.set(chainLabels(chainId), counts.openRefunds)
      oldestRefund.set(chainLabels(chainId), counts.oldestRefundSeconds)
      uncoveredRefunds.set(chainLabels(chainId), counts.uncoveredRefunds)
    }
    oldestDue.set(backlog.oldestDueSeconds)
    disabled.set(backlog.disabledEndpoints)
  }

  return { registry: shared, scrape }
}
