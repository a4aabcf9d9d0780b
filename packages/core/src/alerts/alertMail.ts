import type { Alert, AlertCause } from '@payment-intents/contract'

type Wording = {
  /** The sentence about the event, for one object and for several. */
  readonly singular: string
  readonly plural: (count: number) => string
  /** The noun that precedes the ids. */
  readonly objects: string
  readonly todo: string
}

const wordings: Record<AlertCause, Wording> = {
  transfer_unmatched: {
    singular: '1 transfer matches no payment',
    plural: (count) => `${count} transfers match no payment`,
    objects: 'Transfers',
    todo: 'Assign each to the payment that it is for, or refund it.',
  },
  payment_intent_underpaid: {
    singular: '1 payment was too small at its deadline',
    plural: (count) => `${count} payments were too small at their deadlines`,
    objects: 'Payment intents',
    todo: 'Accept each as it stands, or refund it.',
  },
  payment_intent_reversed: {
    singular: 'The chain took back 1 payment that had succeeded',
    plural: (count) => `The chain took back ${count} payments that had succeeded`,
    objects: 'Payment intents',
    todo: 'Stop what you have not delivered yet. It succeeds again if the chain takes the transfer again.',
  },
  webhook_endpoint_failing: {
    singular: 'Nothing has got through to 1 webhook endpoint for an hour',
    plural: (count) => `Nothing has got through to ${count} webhook endpoints for an hour`,
    objects: 'Webhook endpoints',
    todo: 'Look at its deliveries, which say why. After five days an endpoint is disabled.',
  },
  refund_waiting: {
    singular: '1 refund has waited for a day',
    plural: (count) => `${count} refunds have waited for a day`,
    objects: 'Refunds',
    todo: 'Each waits for a destination, a confirmation or a signature: its status says which.',
  },
}

/**
 * An alert as a mail of plain text.
 * @param dashboardUrl the dashboard's address; null: there is no dashboard
 */
export function alertMail(
  alert: Alert,
  merchant: { readonly id: string; readonly name: string },
  dashboardUrl: string | null,
): { readonly subject: string; readonly text: string } {
  const { count, objects, mode } = alert
  const { singular, plural, ...wording } = wordings[alert.cause as AlertCause]
  const noun = count === 1 ? singular : plural(count)
  const name = merchant.name.replaceAll(/[\p{C}\s]+/gu, ' ').trim()
  const test = mode === 'testnet' ? ' (test mode)' : ''
  const more = count > objects.length ? [`  and ${count - objects.length} more`] : []
  const lines = [
    `${noun}.`,
    '',
    `Merchant: ${name}, ${merchant.id}${test}`,
    `Since: ${alert.since.slice(0, 16).replace('T', ' ')} UTC`,
    `${wording.objects}:`,
    ...objects.map((id) => `  ${id}`),
    ...more,
    '',
    wording.todo,
    dashboardUrl ? `Your dashboard: ${dashboardUrl}` : 'The API finds them by these ids.',
    '',
    'A mail of this kind comes once a day at most.',
  ]
  return { subject: `${name}: ${noun}${test}`, text: `${lines.join('\n')}\n` }
}
