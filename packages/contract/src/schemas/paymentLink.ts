import { z } from 'zod'
import {
  addressSchema,
  chainSchema,
  limits,
  type Metadata,
  modeSchema,
  unitsSchema,
} from './paymentIntent.ts'
import { responseObject } from './responseObject.ts'
import { timeSchema } from './time.ts'

const units = unitsSchema.min(1)

/** Control characters and halves of surrogate pairs do not belong in a text for people. */
const textSchema = (maxCharacters: number) =>
  z
    .string()
    .min(1)
    .max(maxCharacters)
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), { error: 'has a control character' })

const description = textSchema(limits.linkDescription).meta({
  description: 'The description of the payment. Payers see it.',
})
const metadata = z.record(z.string(), z.unknown())
const maxPayments = z.int().min(1).max(limits.linkPayments).nullable()
const expiresAt = timeSchema.nullable()
const returnUrl = textSchema(limits.returnUrlLength).nullable()
/** A picture as a data URL; null: none. */
export const pictureSchema = z
  .string()
  // Longer than the longest prefix and the base64 of the most bytes.
  .max(50 + Math.ceil(limits.pictureBytes / 3) * 4, {
    error: `must have at most ${limits.pictureBytes / 1_000} kB`,
  })
  .regex(/^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/, {
    error: 'must be a data URL with base64: data:image/png, data:image/jpeg or data:image/webp',
  })
  .nullable()
const pictureTerms = `A PNG, JPEG or WebP file as a data URL, of at most ${limits.pictureBytes} bytes, with ${limits.linkPictureSide.min} to ${limits.linkPictureSide.max} pixels a side, no side longer than ${limits.linkPictureRatio} times the other.`

/** Body of `POST /v1/payment_links`. Unknown properties are refused. */
export const createPaymentLinkSchema = z
  .strictObject({
    amount_units: units.nullable().meta({
      description: 'Smallest token units; null: the payer names the amount.',
    }),
    min_units: units.nullable().optional().meta({
      description: 'The least that a payer may name; only where `amount_units` is null.',
    }),
    max_units: units.nullable().optional().meta({
      description: 'The most that a payer may name; only where `amount_units` is null.',
    }),
    description,
    metadata: metadata.optional().meta({
      description:
        'Any JSON object of at most 16 KiB and 8 levels; echoed byte for byte. Each payment intent of the link gets it.',
    }),
    chains: z
      .array(chainSchema)
      .min(1)
      .refine((chains) => new Set(chains).size === chains.length, { error: 'repeats a chain' })
      .optional()
      .meta({
        description:
          'The chains on which a payer may pay. Defaults to all on which the merchant has a wallet.',
      }),
    max_payments: maxPayments.optional().meta({
      description: 'The maximum number of payments; unlimited by default.',
    }),
    expires_at: expiresAt.optional().meta({
      description: 'Time until which the link can be paid; for good by default.',
    }),
    return_url: returnUrl.optional().meta({
      description:
        'URL that the page of the link leads back to, of an origin that the merchant has registered.',
    }),
    picture: pictureSchema.optional().meta({
      description: `Payers see it. ${pictureTerms}`,
    }),
  })
  .refine(({ amount_units: amount, min_units: min, max_units: max }) => !amount || !(min || max), {
    path: ['amount_units'],
    error: 'must be null where there is a min_units or max_units',
  })
  .refine(({ min_units: min, max_units: max }) => !min || !max || min <= max, {
    path: ['min_units'],
    error: 'is more than max_units',
  })

/** Body of `PATCH /v1/payment_links/{id}`; omitted fields stay unchanged. */
export const updatePaymentLinkSchema = z.strictObject({
  active: z.boolean().optional().meta({ description: 'False: nobody can pay the link any more.' }),
  description: description.optional(),
  metadata: metadata.optional().meta({
    description: 'Replaces all of it. Payment intents that exist keep theirs.',
  }),
  max_payments: maxPayments.optional().meta({
    description: 'Not less than `payments_count`; null: without limit.',
  }),
  expires_at: expiresAt.optional().meta({ description: 'In the future; null: for good.' }),
  return_url: returnUrl.optional().meta({
    description: 'URL of an origin that the merchant has registered; null: none.',
  }),
  picture: pictureSchema.optional().meta({
    description: `${pictureTerms} null removes it.`,
  }),
})

/** A payment link. */
export const paymentLinkSchema = responseObject({
  id: z.string().meta({ description: '`plink_` and 30 characters, ordered by time of creation.' }),
  url: z.string().meta({ description: 'The page of the link. It may be published.' }),
  active: z.boolean().meta({
    description:
      'Whether the merchant offers it. A link that is past `expires_at`, or that is paid `max_payments` times, stays active, although nobody can pay it.',
  }),
  mode: modeSchema,
  amount_units: unitsSchema.nullable().meta({ description: 'null: the payer names the amount.' }),
  min_units: unitsSchema.nullable(),
  max_units: unitsSchema.nullable(),
  decimals: z.int(),
  token_symbol: z.string(),
  description: z.string(),
  chains: z.array(chainSchema).meta({ description: 'The chains on which a payer may pay.' }),
  outranked_chains: z.array(chainSchema).meta({
    description:
      'The entries of `chains` that payers are not offered, because another merchant has proven your wallet there by a signature. Prove it in the dashboard, too, or set another wallet.',
  }),
  max_payments: z.int().nullable(),
  payments_count: z
    .int()
    .meta({ description: 'The number of payments of `max_payments` that are taken.' }),
  expires_at: timeSchema.nullable(),
  return_url: z.string().nullable(),
  picture: z.string().nullable().meta({
    description:
      'URL of the picture at the service; it holds the hash of the picture, so a new picture has a new URL. null: none.',
  }),
  created_at: timeSchema,
  metadata,
})

const linkId = z.string().min(1).max(limits.idLength).regex(/^\w+$/).meta({
  description: 'The id of the link. It is public.',
})
const visitor = z
  .string()
  .regex(/^[\w-]{22,64}$/, 'must be 22 to 64 letters, digits, - and _')
  .meta({
    description:
      'A random key that the page keeps for one visitor. It opens the payment intents that were created with it, and no others.',
  })
const linkMerchant = z.string().min(1).max(limits.idLength).optional().meta({
  description:
    'The merchant that the link must belong to; the link of another merchant is not found.',
})

/** Body of `POST /v1/payment_links/resolve`. Unknown properties are refused. */
export const resolvePaymentLinkSchema = z.strictObject({
  id: linkId,
  visitor: visitor.optional(),
  merchant: linkMerchant,
  payer: addressSchema.optional().meta({
    description: 'The connected account, for `balance_units` of each network.',
  }),
})

export const paymentLinkStatusSchema = z.enum(['open', 'inactive', 'expired', 'used_up'])

/** Response of `POST /v1/payment_links/resolve`. Later versions only add fields. */
export const resolvedPaymentLinkSchema = responseObject({
  ...paymentLinkSchema.pick({
    id: true,
    mode: true,
    amount_units: true,
    min_units: true,
    max_units: true,
    decimals: true,
    token_symbol: true,
    description: true,
    return_url: true,
    picture: true,
  }).shape,
  status: z.string().meta({
    description: `Whether it can be paid: one of ${paymentLinkStatusSchema.options.join(', ')}; accept values added later, which are not \`open\`.`,
  }) as unknown as z.ZodType<OpenPaymentLinkStatus>,
  merchant_name: z.string().meta({
    description: 'As registered with the service; text, never HTML.',
  }),
  support: z.string().nullable().meta({
    description:
      'Contact of the merchant for payers: a mail address or an https URL; text, never HTML. null: none.',
  }),
  networks: z
    .array(
      responseObject({
        chain: chainSchema,
        chain_id: z.int(),
        name: z.string(),
        balance_units: unitsSchema.nullable().meta({
          description:
            'The balance of `payer`; null without it, and where the chain does not respond.',
        }),
      }),
    )
    .meta({ description: 'The chains on which a payer may pay.' }),
  payment: responseObject({
    client_secret: z.string(),
    chain: chainSchema,
    amount_units: unitsSchema.meta({ description: 'The price.' }),
  })
    .nullable()
    .meta({
      description:
        'The newest payment intent of the visitor that is open or paid; null: there is none.',
    }),
})

/** Body of `POST /v1/payment_links/pay`. Unknown properties are refused. */
export const payPaymentLinkSchema = z.strictObject({
  id: linkId,
  chain: chainSchema,
  amount_units: units.optional().meta({
    description: 'The amount, if the link leaves it to the payer; else it may be omitted.',
  }),
  visitor,
  merchant: linkMerchant,
})

/** Response of `POST /v1/payment_links/pay`. */
export const paidPaymentLinkSchema = responseObject({
  payment_intent: z.string(),
  client_secret: z.string().meta({ description: 'For the checkout.' }),
})

export type PaymentLinkStatus = z.infer<typeof paymentLinkStatusSchema>
/** Known values autocomplete; values that a later server adds still type-check. */
export type OpenPaymentLinkStatus = PaymentLinkStatus | (string & {})
export type ResolvePaymentLink = z.input<typeof resolvePaymentLinkSchema>
export type ResolvedPaymentLink = z.output<typeof resolvedPaymentLinkSchema>
export type PayPaymentLink = z.input<typeof payPaymentLinkSchema>
export type PaidPaymentLink = z.output<typeof paidPaymentLinkSchema>

/** `metadata` is required if `M` has a required field: the payment intents of the link get it. */
export type CreatePaymentLink<M = Metadata> = Omit<
  z.input<typeof createPaymentLinkSchema>,
  'metadata'
> &
  (Record<never, never> extends M ? { metadata?: M | undefined } : { metadata: M })
export type UpdatePaymentLink<M = Metadata> = Omit<
  z.input<typeof updatePaymentLinkSchema>,
  'metadata'
> & { metadata?: M | undefined }
export type PaymentLink<M = Metadata> = Omit<z.output<typeof paymentLinkSchema>, 'metadata'> & {
  metadata: M
}
