import { z } from 'zod'
import {
  exceptionSchema,
  hashSchema,
  type OpenStatus,
  sharedFields,
  unitsSchema,
} from './paymentIntent.ts'
import { timeSchema } from './time.ts'

/** A payment intent as merchants retrieve it and as events contain it. Never with the client secret. */
export const retrievedPaymentIntentSchema = z.looseObject({
  ...sharedFields,
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
