import { chainFactsOf, eventTypeSchema } from '@payment-intents/contract'
import { unmatchedReasons } from '@payment-intents/core'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Db } from '../store/connection/connect.ts'
import { version } from '../version.ts'

/** What happened in this process. Each event is counted by the one process that wrote it, so sums over processes are right. */
export type Metrics = {
  readonly registry: Registry
  /** Events that are committed now. */
  recorded(chainId: number, events: readonly { type: string; object: string }[]): void
  /** Payment intents and transactions that a poll could not record; each is tried again. */
  notRecorded(chainId: number, count: number): void
  /** From the first sight of a payment to its success. */
  succeeded(chainId: number, seconds: number): void
  delivery(outcome: Outcome): void
  /** A relayer's transaction is on the chain for good. @param cost in wei */
  relayed(chainId: number, outcome: RelayOutcome, cost: bigint): void
  /** A cycle of a relayer ended early: nothing is broadcast until the next one. */
  relayerFailed(chainId: number): void
  /** Authorizations were not broadcast in time, so that their payers pay otherwise. */
  withdrawn(chainId: number, count: number): void
  /** Reports the connections of a pool at each scrape. */
  watchPool(name: string, db: Db): void
}

const outcomes = ['delivered', 'failed', 'given_up'] as const
type Outcome = (typeof outcomes)[number]

const relayOutcomes = ['succeeded', 'reverted', 'empty', 'taken'] as const
/** empty: it only used up a nonce; taken: another user of the key had the nonce. */
type RelayOutcome = (typeof relayOutcomes)[number]
/** Wei of one coin. */
const coin = 1e18

export const ofChain = ['chain', 'mode'] as const
/** Metrics name a chain as the API does. */
export function chainLabels(chainId: number) {
  const { chain, mode } = chainFactsOf(chainId)
  return { chain, mode }
}

/** Counts how often a worker has ended and another took its place: in the parent, and 0 in every other process. */
export function countWorkerRestarts(registry: Registry): Counter {
  return new Counter({
    name: 'payment_intents_worker_restarts_total',
    help: 'Workers that ended, and whose place another one took.',
    registers: [registry],
  })
}

/**
 * @param chainIds those that this server follows, whose counters begin at 0
 * @param relayed those of them that have a relayer
 */
export function createMetrics(
  chainIds: readonly number[],
  relayed: readonly number[] = [],
): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const events = new Counter({
    name: 'payment_intents_events_total',
    help: 'Events that this process wrote, by type, such as payment_intent.succeeded.',
    labelNames: [...ofChain, 'type'],
    registers,
  })
  const unmatched = new Counter({
    name: 'payment_intents_unmatched_transfers_total',
    help: 'Transfers to a merchant that no intent was credited with, and whether an intent is suggested for them.',
    labelNames: [...ofChain, 'reason', 'suggested'],
    registers,
  })
  const notRecorded = new Counter({
    name: 'payment_intents_recording_failures_total',
    help: 'Payment intents and transactions that a poll could not record; each is tried again at least every five minutes, or an hour.',
    labelNames: ofChain,
    registers,
  })
  const seconds = new Histogram({
    name: 'payment_intents_time_to_success_seconds',
    help: 'From the first sight of a payment on its chain to its success.',
    labelNames: ofChain,
    buckets: [1, 2, 5, 10, 20, 30, 60, 120, 300, 900, 3_600],
    registers,
  })
  const deliveries = new Counter({
    name: 'payment_intents_webhook_attempts_total',
    help: 'Attempts to deliver an event: delivered, failed and to be retried, or given up.',
    labelNames: ['outcome'],
    registers,
  })
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
  const pools = new Map<string, Db>()
  const states = ['in_use', 'idle', 'waiting'] as const
  const connections = new Gauge({
    name: 'payment_intents_database_connections',
    help: 'Connections of a pool that are in use or idle, and requests that wait for one.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { pool: of }] of pools) {
        const counts = { in_use: of.totalCount - of.idleCount, idle: of.idleCount }
        const all = { ...counts, waiting: of.waitingCount }
        for (const state of states) connections.set({ pool, state }, all[state])
      }
    },
  })
  countWorkerRestarts(registry)
  new Gauge({
    name: 'payment_intents_build_info',
    help: 'Always 1; the label is the version of the server.',
    // All workers run one version.
    ...{ labelNames: ['version'], registers, aggregator: 'max' },
  }).set({ version }, 1)
  // An alert compares a counter with its value before: what is not there has none, and the first count would go unnoticed.
  for (const outcome of outcomes) deliveries.inc({ outcome }, 0)
  for (const labels of chainIds.map(chainLabels)) {
    for (const type of eventTypeSchema.options) {
      if (!type.startsWith('webhook_endpoint.')) events.inc({ ...labels, type }, 0)
    }
    for (const reason of unmatchedReasons) {
      for (const suggested of ['true', 'false']) unmatched.inc({ ...labels, reason, suggested }, 0)
    }
    seconds.zero(labels)
    notRecorded.inc(labels, 0)
    withdrawn.inc(labels, 0)
  }
  for (const labels of relayed.map(chainLabels)) {
    spend.inc(labels, 0)
    failedCycles.inc(labels, 0)
    for (const outcome of relayOutcomes) transactions.inc({ ...labels, outcome }, 0)
  }
  return {
    registry,
    relayed(chainId, outcome, cost) {
      transactions.inc({ ...chainLabels(chainId), outcome })
      spend.inc(chainLabels(chainId), Number(cost) / coin)
    },
    relayerFailed: (chainId) => failedCycles.inc(chainLabels(chainId)),
    withdrawn: (chainId, count) => withdrawn.inc(chainLabels(chainId), count),
    recorded(chainId, written) {
      const labels = chainLabels(chainId)
      for (const { type, object } of written) {
        events.inc({ ...labels, type })
        if (type !== 'transfer.unmatched') continue
        const { reason, suggestions, dust } = JSON.parse(object)
        const suggested = suggestions.length > 0 ? 'true' : 'false'
        // One event reports much dust.
        unmatched.inc({ ...labels, reason, suggested }, dust?.count ?? 1)
      }
    },
    notRecorded: (chainId, count) => notRecorded.inc(chainLabels(chainId), count),
    succeeded: (chainId, took) => seconds.observe(chainLabels(chainId), took),
    delivery: (outcome) => deliveries.inc({ outcome }),
    watchPool: (name, db) => void pools.set(name, db),
  }
}
