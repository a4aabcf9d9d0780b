import { eventTypeSchema } from '@payment-intents/contract'
import { unmatchedReasons } from '@payment-intents/core'
import { Counter, Histogram, type Registry } from 'prom-client'
import { chainLabels, ofChain } from './chainLabels.ts'

export type PaymentMetrics = {
  /** Counts events that were committed. */
  recorded(chainId: number, events: readonly { type: string; object: string }[]): void
  /** Counts payment intents and transactions that a poll could not record; each is retried. */
  notRecorded(chainId: number, count: number): void
  /** @param seconds from the first poll that found a payment to its success */
  succeeded(chainId: number, seconds: number): void
}

export function paymentMetrics(registry: Registry, chainIds: readonly number[]): PaymentMetrics {
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
  for (const labels of chainIds.map(chainLabels)) {
    for (const type of eventTypeSchema.options) {
      if (!type.startsWith('webhook_endpoint.')) events.inc({ ...labels, type }, 0)
    }
    for (const reason of unmatchedReasons) {
      for (const suggested of ['true', 'false']) unmatched.inc({ ...labels, reason, suggested }, 0)
    }
    seconds.zero(labels)
    notRecorded.inc(labels, 0)
  }
  return {
    recorded(chainId, written) {
      const labels = chainLabels(chainId)
      for (const { type, object } of written) {
        events.inc({ ...labels, type })
        if (type !== 'transfer.unmatched') continue
        const { reason, suggestions, dust } = JSON.parse(object)
        const suggested = suggestions.length > 0 ? 'true' : 'false'
        // One event may report many dust transfers.
        unmatched.inc({ ...labels, reason, suggested }, dust?.count ?? 1)
      }
    },
    notRecorded: (chainId, count) => notRecorded.inc(chainLabels(chainId), count),
    succeeded: (chainId, took) => seconds.observe(chainLabels(chainId), took),
  }
}
