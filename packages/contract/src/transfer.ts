import { z } from 'zod'
import { addressSchema, chainSchema, hashSchema, unitsSchema } from './paymentIntent.ts'
import { timeSchema } from './time.ts'

/** A USDC transfer to one of the merchant's wallets, credited to a payment intent or to none. */
export const transferSchema = z.looseObject({
  id: z.string().meta({ description: '`tr_` and 30 characters, ordered by when it was seen.' }),
  chain: chainSchema,
  chain_id: z.int(),
  tx_hash: hashSchema,
  log_index: z.int(),
  block_number: z.int(),
  block_timestamp: timeSchema,
  from: addressSchema,
  to: addressSchema,
  amount_units: unitsSchema,
  token_address: addressSchema,
  payment_intent: z.string().nullable().meta({
    description: 'What it is credited to; null while it is unmatched.',
  }),
  bound_by: z.string().nullable().meta({
    description:
      'What told whose it is: `reference`, `address`, `payable_amount` or `assignment`; accept values added later.',
  }),
  reason: z.string().nullable().meta({
    description: 'Why it is credited to nothing; null when it is credited.',
  }),
  orphaned: z.boolean().meta({
    description: 'Its block is no longer part of the chain: it has not happened.',
  }),
  created_at: timeSchema,
})

export type Transfer = z.output<typeof transferSchema>
