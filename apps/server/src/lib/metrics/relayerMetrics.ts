import { Counter, type Registry } from 'prom-client'
import { chainLabels, ofChain } from './chainLabels.ts'

export type RelayerMetrics = {
  /** Counts a transaction that is final. @param cost in wei */
  relayed(chainId: number, outcome: Outcome, cost: bigint): void
  /** Counts a cycle that failed: nothing is broadcast until the next cycle. */
  relayerFailed(chainId: number): void
  /** Counts authorizations that were not broadcast in time, so that their payers have to pay in another way. */
  withdrawn(chainId: number, count: number): void
}

const outcomes = ['succeeded', 'reverted', 'empty', 'taken'] as const
/** empty: the transaction only used a nonce; taken: another program with the same key used the nonce. */
type Outcome = (typeof outcomes)[number]
const weiPerCoin = 1e18

/** Metrics of authorizations that are broadcast for payers. */
export function relayerMetrics(
  registry: Registry,
  chainIds: readonly number[],
  relayed: readonly number[],
): RelayerMetrics {
  const registers = [registry]
  const transactions = new Counter({
    name: 'payment_intents_relayer_transactions_total',
    help: 'Transactions of a relayer that are on the chain for good, or whose nonce is taken.',
    labelNames: [...ofChain, 'outcome'],
    registers,
  })
  const spend = new Counter({
    name: 'payment_intents_relayer_spend_total',
    help: 'What those transactions cost, in the coin of the chain.',
    labelNames: ofChain,
    registers,
  })
  const failedCycles = new Counter({
    name: 'payment_intents_relayer_failed_cycles_total',
    help: 'Cycles of a relayer that ended early, because of a provider, the database or a fault.',
    labelNames: ofChain,
    registers,
  })
  const withdrawn = new Counter({
    name: 'payment_intents_authorizations_withdrawn_total',
    help: 'Authorizations that no relayer broadcast within seconds; their payers pay otherwise.',
    labelNames: ofChain,
    registers,
  })
  for (const labels of chainIds.map(chainLabels)) withdrawn.inc(labels, 0)
  for (const labels of relayed.map(chainLabels)) {
    spend.inc(labels, 0)
    failedCycles.inc(labels, 0)
    for (const outcome of outcomes) transactions.inc({ ...labels, outcome }, 0)
  }
  return {
    relayed(chainId, outcome, cost) {
      transactions.inc({ ...chainLabels(chainId), outcome })
      spend.inc(chainLabels(chainId), Number(cost) / weiPerCoin)
    },
    relayerFailed: (chainId) => failedCycles.inc(chainLabels(chainId)),
    withdrawn: (chainId, count) => withdrawn.inc(chainLabels(chainId), count),
  }
}
