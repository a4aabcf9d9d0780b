import { Counter, type Registry } from 'prom-client'

export type DeliveryMetrics = {
  delivery(outcome: Outcome): void
}

const outcomes = ['delivered', 'failed', 'given_up'] as const
type Outcome = (typeof outcomes)[number]

export function deliveryMetrics(registry: Registry): DeliveryMetrics {
  const deliveries = new Counter({
    name: 'payment_intents_webhook_attempts_total',
    help: 'Attempts to deliver an event: delivered, failed and to be retried, or given up.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of outcomes) deliveries.inc({ outcome }, 0)
  return { delivery: (outcome) => deliveries.inc({ outcome }) }
}
