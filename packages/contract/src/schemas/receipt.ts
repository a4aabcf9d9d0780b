import { z } from 'zod'
import {
  addressSchema,
  chainSchema,
  hashSchema,
  type Metadata,
  sharedFields,
  unitsSchema,
} from './paymentIntent.ts'
import { responseObject } from './responseObject.ts'
import { timeSchema } from './time.ts'

const creditedTransferSchema = responseObject({
  tx_hash: hashSchema,
  log_index: z.int(),
  block_timestamp: timeSchema,
  amount_units: unitsSchema,
  bound_by: z.string().meta({
    description:
      'As in a transfer. With `reference` and `authorization`, the signature of the payer names this payment intent; with the others, only the service does.',
  }),
})

/** A refund in a receipt. Its reason and metadata are for the merchant and omitted. */
const receiptRefundSchema = responseObject({
  id: z.string(),
  status: z.string().meta({
    description:
      '`succeeded`; `pending`: its transfer is not deep in the chain yet, or a signature may still pay it.',
  }),
  amount_units: unitsSchema,
  destination: addressSchema,
  from: addressSchema.meta({ description: 'The account that has signed or paid it.' }),
  tx_hash: hashSchema.nullable().meta({ description: 'Null until it is in a block.' }),
  salt: hashSchema.meta({ description: '32 random bytes.' }),
  refund_reference: hashSchema.meta({
    description:
      'Commits to the refund, the payment intent, the chain, the token, the amount and the salt. The nonce of the authorization that pays it.',
  }),
})

/**
 * The payment of a payment intent, with the salt of its reference: anyone can recompute `payment_reference` from the
 * other terms and look it up on the chain.
 */
export const receiptSchema = responseObject({
  payment_intent: z.string(),
  merchant_name: z.string(),
  chain: chainSchema,
  chain_id: z.int(),
  token_address: addressSchema,
  expected_wallet: addressSchema,
  amount_units: unitsSchema.meta({ description: 'The price.' }),
  expires_at: timeSchema,
  salt: hashSchema.meta({
    description: 'Hidden until the payment intent has succeeded. 32 random bytes.',
  }),
  payment_reference: hashSchema,
  transfers: z.array(creditedTransferSchema).min(1).meta({ description: 'In chain order.' }),
  refunds: z.array(receiptRefundSchema).min(1).optional().meta({
    description: 'Refunds that are `succeeded` or `pending`, the oldest first; absent without one.',
  }),
  metadata: sharedFields.metadata.meta({
    description: 'As the merchant passed it; the reference does not cover it.',
  }),
})

/** The receipt in the response of `resolve`, which has the metadata in its own field. */
export const checkoutReceiptSchema = receiptSchema.omit({ metadata: true })

/** Body of `POST /receipt`. Unknown properties are refused. */
export const confirmReceiptSchema = z.strictObject({
  payment_intent: z.string().max(100),
  salt: z
    .string()
    .regex(/^0x[\da-fA-F]{64}$/)
    .meta({
      description: 'The salt of the receipt. A caller who sends it gets the service’s own receipt.',
    }),
})

/** Response of `POST /receipt`. */
export const confirmedReceiptSchema = checkoutReceiptSchema.extend({
  support: z.string().nullable().meta({
    description: 'Contact of the merchant for payers: an email address or a URL.',
  }),
})

export type Receipt<M = Metadata> = Omit<z.output<typeof receiptSchema>, 'metadata'> & {
  metadata: M
}
export type CheckoutReceipt = z.output<typeof checkoutReceiptSchema>
export type ConfirmReceipt = z.input<typeof confirmReceiptSchema>
export type ConfirmedReceipt = z.output<typeof confirmedReceiptSchema>
