import { z } from 'zod'
import { signedTransferFields, transferAuthorizationSchema } from './authorize.ts'
import {
  addressSchema,
  chainSchema,
  hashSchema,
  limits,
  type Metadata,
  modeSchema,
  sharedFields,
  unitsSchema,
} from './paymentIntent.ts'
import { responseObject } from './responseObject.ts'
import { timeSchema } from './time.ts'

export const refundStatusSchema = z.enum([
  'requires_destination',
  'requires_confirmation',
  'requires_signature',
  'pending',
  'succeeded',
  'canceled',
])

export const destinationProofSchema = z.enum(['merchant', 'payer_signature', 'payer_claim'])

export const refundReasonSchema = z.enum([
  'requested_by_customer',
  'duplicate',
  'overpaid',
  'underpaid',
  'late',
  'other',
])

/** Body of `POST /v1/refunds`. Unknown properties are refused. */
export const createRefundSchema = z
  .strictObject({
    payment_intent: z.string().max(limits.idLength).regex(/^\w+$/).optional().meta({
      description: 'The payment intent whose payments are paid back.',
    }),
    transfer: z.string().max(limits.idLength).regex(/^\w+$/).optional().meta({
      description: 'Or an unmatched transfer that is paid back. It cannot be assigned afterwards.',
    }),
    amount_units: unitsSchema
      .min(limits.refundUnits)
      .optional()
      .meta({
        description: `Smallest token units, at least ${limits.refundUnits}. Defaults to all that is refundable.`,
      }),
    destination: addressSchema.optional().meta({
      description:
        'The account that gets the refund, as the payer names it: the account that paid may belong to an exchange. It may be named later.',
    }),
    reason: refundReasonSchema.optional(),
    metadata: z.record(z.string(), z.unknown()).optional().meta({
      description: 'Any JSON object of at most 16 KiB and 8 levels; echoed byte for byte.',
    }),
  })
  .refine((body) => (body.payment_intent === undefined) !== (body.transfer === undefined), {
    path: ['payment_intent'],
    error: 'name either a payment_intent or a transfer',
  })

/** Body of `PATCH /v1/refunds/{id}`. */
export const updateRefundSchema = z.strictObject({
  destination: addressSchema.meta({ description: 'The account that gets the refund.' }),
})

/** Body of `POST /v1/refunds/{id}/confirm`. */
export const confirmRefundSchema = z.strictObject({
  destination: addressSchema.meta({
    description:
      'The destination that you confirm: the payer may have named another destination since.',
  }),
})

/**
 * Body of `POST /v1/refunds/{id}/authorize`: the `typed_data` of the refund, signed by one of the merchant's wallets.
 */
export const authorizeRefundSchema = z.strictObject(signedTransferFields)

/** Body of `POST /v1/refunds/{id}/attach`. */
export const attachRefundSchema = z.strictObject({
  tx_hash: hashSchema.meta({
    description:
      'A transaction that holds a USDC transfer of exactly the amount to the destination, mined after the refund was created.',
  }),
})

/** A refund in lists and events. */
export const listedRefundSchema = responseObject({
  id: z.string().meta({ description: '`re_` and 30 characters, ordered by time of creation.' }),
  payment_intent: z.string().nullable(),
  transfer: z.string().nullable(),
  status: z.string().meta({
    description: `One of ${refundStatusSchema.options.join(', ')}; accept values added later.`,
  }) as unknown as z.ZodType<OpenRefundStatus>,
  mode: modeSchema,
  chain: chainSchema,
  chain_id: z.int(),
  confirmations_required: z.int(),
  amount_units: unitsSchema,
  decimals: z.int(),
  token_symbol: z.string(),
  token_address: addressSchema,
  destination: addressSchema.nullable(),
  destination_proof: z.string().nullable().meta({
    description:
      'Source of the destination: `merchant`; `payer_signature`: an account that paid at least as much, by a signature; `payer_claim`: somebody with the link. Accept values added later.',
  }),
  refund_reference: hashSchema.meta({
    description: 'The nonce of the authorization that pays it. It names this refund alone.',
  }),
  reason: z.string().nullable(),
  from: addressSchema.nullable().meta({
    description: 'The account that has signed or paid it.',
  }),
  from_verified: z.boolean().nullable().meta({
    description:
      'Whether `from` is a registered wallet of the merchant. False: the shop states that this transfer is the refund.',
  }),
  tx_hash: hashSchema
    .nullable()
    .meta({ description: 'The transaction that pays it; null until it is in a block.' }),
  confirmations: z.int(),
  created_at: timeSchema,
  succeeded_at: timeSchema.nullable().meta({
    description:
      'When it was paid for good, by the clock of the chain; null before, and while the chain has taken back what paid it.',
  }),
  metadata: sharedFields.metadata,
})

/** The message that a wallet of the merchant signs (EIP-712). Add `from`, the wallet's own address, to `message`. */
export const refundTypedDataSchema = responseObject({
  domain: responseObject({
    name: z.string(),
    version: z.string(),
    chainId: z.int(),
    verifyingContract: addressSchema,
  }),
  types: responseObject({
    TransferWithAuthorization: z.array(responseObject({ name: z.string(), type: z.string() })),
  }),
  primaryType: z.literal('TransferWithAuthorization'),
  message: responseObject(transferAuthorizationSchema.omit({ from: true }).shape),
})

/** A refund by itself. */
export const refundSchema = listedRefundSchema.extend({
  links: responseObject({
    page: z.string().meta({
      description:
        'The payer names the destination here, and follows the refund. Send it to the payer alone: until a destination is named, anyone with this link can name one.',
    }),
  }),
  signable_until: timeSchema.nullable().meta({
    description:
      '`typed_data` can be signed and submitted until this time, by the clock of the chain; each response has a later time. Null where nothing is to be signed.',
  }),
  typed_data: refundTypedDataSchema.nullable().meta({
    description:
      'The typed data to sign while it is `requires_signature`; else null, also while the chain may still take the payment back.',
  }),
})

const tokenSchema = z.string().min(1).max(200).meta({
  description: 'The part of `links.page` behind the `#`.',
})

/** Body of `POST /v1/refunds/resolve`. Unknown properties are refused. */
export const resolveRefundSchema = z.strictObject({
  token: tokenSchema,
  account: addressSchema.optional().meta({
    description: 'The account that the refund is to be sent to, for `message_to_sign`.',
  }),
})

/** Body of `POST /v1/refunds/destination`. Unknown properties are refused. */
export const nameDestinationSchema = z
  .strictObject({
    token: tokenSchema,
    destination: addressSchema.meta({ description: 'The account that gets the refund.' }),
    message: z.string().min(1).max(2_000).optional().meta({
      description: '`message_to_sign` of resolve, as it was signed.',
    }),
    signature: signedTransferFields.signature.optional().meta({
      description:
        'Signature of the message (EIP-191) by the destination; EIP-1271 for a contract.',
    }),
  })
  .refine((body) => (body.message === undefined) === (body.signature === undefined), {
    path: ['signature'],
    error: 'pass `message` and `signature` together, or neither',
  })

/** A refund as the payer sees it. */
export const resolvedRefundSchema = responseObject({
  id: z.string(),
  ...listedRefundSchema.pick({
    status: true,
    mode: true,
    chain: true,
    chain_id: true,
    confirmations_required: true,
    amount_units: true,
    decimals: true,
    token_symbol: true,
    token_address: true,
    destination: true,
    destination_proof: true,
    tx_hash: true,
    confirmations: true,
  }).shape,
  merchant_name: z.string().meta({
    description: 'As registered with the service; text, never HTML.',
  }),
  support: z.string().nullable().meta({
    description:
      'Contact of the merchant for payers: a mail address or an https URL; text, never HTML. null: none.',
  }),
  network: responseObject({ name: z.string(), explorer_url: z.string().nullable() }),
  can_name_destination: z.boolean().meta({
    description: 'False once the destination is fixed: then only the merchant can change it.',
  }),
  message_to_sign: z.string().nullable().meta({
    description:
      'The message that `account` signs to prove that it is the payer (EIP-4361), valid for ten minutes and for one change; null without `account`, and where no destination can be named.',
  }),
})

export type RefundStatus = z.infer<typeof refundStatusSchema>
export type RefundReason = z.infer<typeof refundReasonSchema>
/** Known values autocomplete; values that a later server adds still type-check. */
export type OpenRefundStatus = RefundStatus | (string & {})
export type CreateRefund = z.input<typeof createRefundSchema>
export type UpdateRefund = z.input<typeof updateRefundSchema>
export type ConfirmRefund = z.input<typeof confirmRefundSchema>
export type ResolveRefund = z.input<typeof resolveRefundSchema>
export type NameDestination = z.input<typeof nameDestinationSchema>
export type ResolvedRefund = z.output<typeof resolvedRefundSchema>
export type DestinationProof = z.infer<typeof destinationProofSchema>
export type AuthorizeRefund = z.input<typeof authorizeRefundSchema>
export type AttachRefund = z.input<typeof attachRefundSchema>
export type RefundTypedData = z.output<typeof refundTypedDataSchema>
type WithMetadata<Response, M> = Omit<Response, 'metadata'> & { metadata: M }
export type ListedRefund<M = Metadata> = WithMetadata<z.output<typeof listedRefundSchema>, M>
export type Refund<M = Metadata> = WithMetadata<z.output<typeof refundSchema>, M>
