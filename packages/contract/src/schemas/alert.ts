import { z } from 'zod'
import { attentionTypeSchema } from './merchant/attention.ts'
import { modeSchema } from './paymentIntent.ts'
import { responseObject } from './responseObject.ts'
import { timeSchema } from './time.ts'

/** Why an alert is raised. */
export const alertCauseSchema = attentionTypeSchema.extract([
  'transfer_unmatched',
  'payment_intent_underpaid',
  'payment_intent_reversed',
  'webhook_endpoint_failing',
  'refund_waiting',
])

/**
 * `data.object` of `alert.raised`: a problem that a person has to look into. Each cause raises at most one alert a day
 * in each mode; the next alert counts the objects that came up in between.
 */
export const alertSchema = responseObject({
  id: z.string().meta({ description: '`alert_` and 30 characters.' }),
  cause: z.string().meta({
    description:
      '`transfer_unmatched`, `payment_intent_underpaid` (at its deadline), `payment_intent_reversed` (the chain took back what had succeeded), `webhook_endpoint_failing` (for an hour) or `refund_waiting` (for a destination, a confirmation or a signature, for a day); accept values added later.',
  }),
  count: z.int().min(1).meta({
    description: 'The number of objects that are new since the previous alert.',
  }),
  since: timeSchema.meta({ description: 'Time at which the oldest of them came up.' }),
  objects: z.array(z.string()).min(1).meta({
    description: 'Their ids, the oldest first; the first ten of more.',
  }),
  mode: modeSchema,
})

export type AlertCause = z.infer<typeof alertCauseSchema>
export type Alert = z.output<typeof alertSchema>
