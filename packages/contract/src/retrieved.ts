import { z } from 'zod'
import {
  exceptionSchema,
  hashSchema,
  linksSchema,
  type OpenStatus,
  sharedFields,
  unitsSchema,
} from './paymentIntent.ts'
import { timeSchema } from './time.ts'

/** A payment intent as merchants retrieve it and as lists and events contain it. */
export const retrievedPaymentIntentSchema = z.looseObject({
  ...sharedFields,
  links: linksSchema.optional().meta({
    description:
      'When it is retrieved by its id; never in lists and events, which other systems keep.',
  }),
  created_at: timeSchema,
  payable_amount_units: unitsSchema,
  version: z.int().meta({ description: 'Grows by one at each visible change.' }),
  amount_received_units: unitsSchema,
  confirmations: z.int(),
  tx_hash: hashSchema.nullable(),
  exceptions: z.array(exceptionSchema.or(z.string())),
})

export type RetrievedPaymentIntent = z.output<typeof retrievedPaymentIntentSchema> & {
  status: OpenStatus
}
