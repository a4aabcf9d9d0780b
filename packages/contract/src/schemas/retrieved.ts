import { z } from 'zod'
import {
  exceptionsSchema,
  hashSchema,
  linksSchema,
  type Metadata,
  sharedFields,
  unitsSchema,
} from './paymentIntent.ts'
import { responseObject } from './responseObject.ts'
import { timeSchema } from './time.ts'

/** A payment intent in lists, in events, and in the responses to a merchant's actions. */
export const retrievedPaymentIntentSchema = responseObject({
  ...sharedFields,
  created_at: timeSchema,
  opened_at: timeSchema.nullable().meta({
    description: 'When a checkout resolved it first; null before.',
  }),
  succeeded_at: timeSchema.nullable().meta({
    description:
      'When it was paid for good, by the clock of the chain; null before, and while the chain has taken back what paid it.',
  }),
  payable_amount_units: unitsSchema,
  payment_link: z.string().nullable().meta({
    description: 'The payment link that it pays; null: it was created by itself.',
  }),
  version: z.int().meta({ description: 'Grows with each visible change.' }),
  amount_received_units: unitsSchema,
  amount_refunded_units: unitsSchema.meta({ description: 'Paid back by refunds that succeeded.' }),
  amount_refunding_units: unitsSchema.meta({
    description: 'To be paid back by refunds that are neither succeeded nor canceled.',
  }),
  confirmations: z.int(),
  tx_hash: hashSchema.nullable(),
  exceptions: exceptionsSchema,
})

/** A payment intent retrieved by its id. Lists and events, which other systems keep, have no links. */
export const retrievedPaymentIntentWithLinksSchema = retrievedPaymentIntentSchema.extend({
  links: linksSchema,
})

export type RetrievedPaymentIntent<M = Metadata> = Omit<
  z.output<typeof retrievedPaymentIntentSchema>,
  'metadata'
> & { metadata: M }
export type RetrievedPaymentIntentWithLinks<M = Metadata> = Omit<
  z.output<typeof retrievedPaymentIntentWithLinksSchema>,
  'metadata'
> & { metadata: M }
