import { z } from 'zod'
import { modeSchema } from './paymentIntent.ts'

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
  'transfer.unmatched',
])

/** One per transition. `sequence` counts the events of one subject, an intent or a transfer, from 1 without gaps. */
export const eventSchema = z.looseObject({
  id: z.string(),
  type: z.string().meta({
    description: `One of ${eventTypeSchema.options.join(', ')}; accept values added later.`,
  }),
  created_at: z.iso.datetime(),
  mode: modeSchema,
  sequence: z.int().min(1),
  data: z.looseObject({ object: z.record(z.string(), z.unknown()) }),
})

export type EventType = z.infer<typeof eventTypeSchema>
export type Event = z.output<typeof eventSchema> & {
  /** A known value autocompletes; one that a later server adds still type-checks. */
  type: EventType | (string & {})
}
