import { z } from 'zod'

export const eventTypeSchema = z.enum([
  'payment_intent.created',
  'payment_intent.pending_confirmations',
  'payment_intent.succeeded',
  'payment_intent.expired',
  'payment_intent.canceled',
  'payment_intent.underpaid',
  'payment_intent.overpaid',
  'payment_intent.paid_late',
  'payment_intent.reorged',
  'payment_intent.reversed',
  'payment_intent.transfer_moved',
  'transfer.unmatched',
  'refund.created',
  'refund.updated',
  'refund.pending',
  'refund.succeeded',
  'refund.canceled',
  'refund.reversed',
  'webhook_endpoint.disabled',
  'webhook_endpoint.test',
  'alert.raised',
])

export type EventType = z.infer<typeof eventTypeSchema>
