import { z } from 'zod'
import { addressSchema, chainSchema, hashSchema, unitsSchema } from './paymentIntent.ts'
import { responseObject } from './responseObject.ts'
import { timeSchema } from './time.ts'

/** A USDC transfer to one of the merchant's wallets, credited to a payment intent or to none. */
export const transferSchema = responseObject({
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
    description: 'The payment intent that it is credited to; null while it is unmatched.',
  }),
  bound_by: z.string().nullable().meta({
    description:
      'The rule that matched it to its payment intent: `assignment`, `authorization` (EIP-3009 nonce), `reference`, `address`, `payable_amount` or, where the merchant has set that for the wallet, `price`; accept values added later.',
  }),
  reason: z.string().nullable().meta({
    description:
      'Why it is credited to nothing: `no_intent`, `before_intent`, `ambiguous`, `amount_mismatch`, `wrong_token` or `wrong_chain`; null when it is credited. Accept values added later.',
  }),
  suggestions: z
    .array(
      responseObject({
        payment_intent: z.string(),
        match: z.string().meta({
          description:
            '`price`: its price was sent; `amount`: its payable amount was missed by less than a cent, by an exchange’s fee, or by as much as a dollar more; `payer`: a claim, its checkout named the account that paid. Accept values added later.',
        }),
      }),
    )
    .meta({
      description:
        'While it is unmatched: payment intents it may be for, the likeliest first, at most 5. Assign it by hand.',
    }),
  dust: z.object({ count: z.int(), amount_units: z.int() }).optional().meta({
    description:
      'In an event: the number and the sum of transfers of less than a cent to the same wallet that this event reports, this transfer included. Each is in the list of transfers.',
  }),
  orphaned: z.boolean().meta({
    description: 'Its block is no longer part of the chain: it has not happened.',
  }),
  created_at: timeSchema,
})

export type Transfer = z.output<typeof transferSchema>
