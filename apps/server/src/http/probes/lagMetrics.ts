import { Gauge, type Registry } from 'prom-client'
import { chainLabels, ofChain } from '../../lib/metrics/chainLabels.ts'
import type { Lag } from '../../store/chains/cursors.ts'
import type { HttpContext } from '../transport/httpContext.ts'

/** How far the reading of each chain lags behind, and how far its clock is ahead. */
export function lagMetrics(registry: Registry) {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name: `payment_intents_${name}`, help, labelNames, registers: [registry] })
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
  return {
    /** Replaces the values. */
    set({ followed, clock }: Pick<HttpContext, 'followed' | 'clock'>, lags: readonly Lag[]): void {
      const all = [lagSeconds, lagBlocks, standstill, providerStandstill, skew, databaseSkew]
      for (const metric of all) metric.reset()
      for (const { chainId } of followed) {
        const { skewMs, databaseSkewMs } = clock(chainId)
        skew.set(chainLabels(chainId), skewMs / 1000)
        databaseSkew.set(chainLabels(chainId), databaseSkewMs / 1000)
      }
      for (const { chainId, seconds, blocks, ...counts } of lags) {
        const labels = chainLabels(chainId)
        lagSeconds.set(labels, seconds)
        standstill.set(labels, counts.standstillSeconds)
        for (const { host: provider, standstillSeconds } of counts.providers) {
          providerStandstill.set({ ...labels, provider }, standstillSeconds)
        }
        if (blocks !== null) lagBlocks.set(labels, blocks)
      }
    },
  }
}
