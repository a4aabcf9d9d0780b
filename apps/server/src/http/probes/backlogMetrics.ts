import { Counter, Gauge, type Registry } from 'prom-client'
import { chainLabels, ofChain } from '../../lib/metrics/chainLabels.ts'
import type { Backlog } from '../../store/webhook-endpoints/readBacklog.ts'

/** Counts the payments, refunds and webhooks that wait. */
export function backlogMetrics(registry: Registry) {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name: `payment_intents_${name}`, help, labelNames, registers: [registry] })
  const quarantined = gauge(
    'quarantined_transactions',
    'Transactions that no provider could show whole for 30 seconds and more; payments in them are not seen.',
    ofChain,
  )
  const delayedTransfers = new Counter({
    name: 'payment_intents_transfers_delayed_total',
    help: 'Transfers that a provider did not show when their blocks were read first.',
    labelNames: ofChain,
    registers: [registry],
  })
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
  const all = [
    ...[quarantined, delayedTransfers, open, oldestDue, disabled],
    ...[refunds, oldestRefund, uncoveredRefunds],
  ]
  return {
    /** Replaces the values; null: the backlog could not be read. */
    set(backlog: Backlog | null): void {
      for (const metric of all) metric.reset()
      if (!backlog) return
      for (const { chainId, status, count } of backlog.open) {
        open.set({ ...chainLabels(chainId), status }, count)
      }
      for (const { chainId, ...counts } of backlog.chains) {
        quarantined.set(chainLabels(chainId), counts.quarantined)
        delayedTransfers.inc(chainLabels(chainId), counts.delayedTransfers)
        refunds.set(chainLabels(chainId), counts.openRefunds)
        oldestRefund.set(chainLabels(chainId), counts.oldestRefundSeconds)
        uncoveredRefunds.set(chainLabels(chainId), counts.uncoveredRefunds)
      }
      oldestDue.set(backlog.oldestDueSeconds)
      disabled.set(backlog.disabledEndpoints)
    },
  }
}
