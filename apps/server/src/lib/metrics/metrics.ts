import { Registry } from 'prom-client'
import { type AlertMetrics, alertMetrics } from './alertMetrics.ts'
import { type DeliveryMetrics, deliveryMetrics } from './deliveryMetrics.ts'
import { type PaymentMetrics, paymentMetrics } from './paymentMetrics.ts'
import { type ProcessMetrics, processMetrics } from './processMetrics.ts'
import { type RelayerMetrics, relayerMetrics } from './relayerMetrics.ts'

/**
 * The metrics of this process. Only the process that wrote an event counts it, so the sum over processes is correct.
 */
export type Metrics = { readonly registry: Registry } & PaymentMetrics &
  DeliveryMetrics &
  AlertMetrics &
  RelayerMetrics &
  ProcessMetrics

/**
 * Counters begin at 0: an alert compares a counter with its previous value, so it would miss a count that is the first.
 *
 * @param chainIds the chains that this server follows
 * @param relayed the chains with a relayer
 */
export function createMetrics(
  chainIds: readonly number[],
  relayed: readonly number[] = [],
): Metrics {
  const registry = new Registry()
  return {
    registry,
    ...paymentMetrics(registry, chainIds),
    ...deliveryMetrics(registry),
    ...alertMetrics(registry),
    ...relayerMetrics(registry, chainIds, relayed),
    ...processMetrics(registry),
  }
}
