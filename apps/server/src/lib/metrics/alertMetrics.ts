import { type AlertCause, alertCauseSchema } from '@payment-intents/contract'
import { Counter, type Registry } from 'prom-client'

export type AlertMetrics = {
  alertRaised(cause: AlertCause): void
  mail(outcome: MailOutcome): void
}

const mailOutcomes = ['sent', 'failed', 'given_up'] as const
type MailOutcome = (typeof mailOutcomes)[number]

/** Metrics of alerts, and of mails of any kind. */
export function alertMetrics(registry: Registry): AlertMetrics {
  const alerts = new Counter({
    name: 'payment_intents_alerts_raised_total',
    help: 'Alerts that were raised, by cause.',
    labelNames: ['cause'],
    registers: [registry],
  })
  for (const cause of alertCauseSchema.options) alerts.inc({ cause }, 0)
  const mails = new Counter({
    name: 'payment_intents_mails_total',
    help: 'Attempts to send a mail: sent, failed and to be retried, or given up.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of mailOutcomes) mails.inc({ outcome }, 0)
  return {
    alertRaised: (cause) => alerts.inc({ cause }),
    mail: (outcome) => mails.inc({ outcome }),
  }
}
