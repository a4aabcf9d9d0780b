import { z } from 'zod'
import { chainNames } from '../chains.ts'
import { modes } from '../modes.ts'
import { responseObject } from './responseObject.ts'
import { timeSchema } from './time.ts'

export const limits = {
  expiresInMinutes: { min: 5, max: 60, default: 30 },
  /** Bytes of `metadata` as JSON. */
  metadataBytes: 16 * 1024,
  /** Nesting depth of objects and arrays, counting `metadata` itself. */
  metadataDepth: 8,
  /**
   * Requests about one payment intent, refund or link page in `seconds` by a server process; `chainMax` if each calls
   * the chain.
   */
  payerRequests: { seconds: 10, max: 60, chainMax: 10 },
  /** Bytes of a whole request body. */
  requestBytes: 64 * 1024,
  /** The same for a body with a picture: room for its base64 and the other fields. */
  pictureRequestBytes: 200 * 1024,
  /** Bytes of a picture. */
  pictureBytes: 100_000,
  /** Pixels of each side of a payment link's picture. */
  linkPictureSide: { min: 64, max: 2_000 },
  /** The maximum ratio of a payment link picture's longer side to its shorter. */
  linkPictureRatio: 3,
  /** Pixels of each side of a merchant's logo. */
  logoSide: { min: 64, max: 1_024 },
  /** `confirmations_required`, as a merchant or the operator may set it. */
  confirmations: { min: 1, max: 200 },
  idempotencyKeyLength: 255,
  /** Items of one page of a list. */
  pageSize: { min: 1, max: 100, default: 10 },
  /** The longest time that a request is held. */
  longPollSeconds: 25,
  /** Lists of events that a server process holds at once. */
  longPollLists: { key: 20, merchant: 100 },
  /** Exports that a server process streams at once. */
  exports: { key: 2, merchant: 5 },
  /** Entries of a timeline, by kind. */
  timeline: { transfers: 100, events: 200, others: 100 },
  /** The maximum days of a summary, and of a summary by hour. */
  summaryDays: { total: 366, hourly: 31 },
  /** The newest payments, over which the median of a summary is computed. */
  summaryMedian: 1_000,
  /** `metadata[…]` parameters of one request. */
  metadataFilters: 10,
  /** The minimum amount of a refund, in the token's smallest units. */
  refundUnits: 10_000,
  /** Refunds of one payment intent or transfer that are not canceled. */
  refunds: 10,
  /** Events of a refund after which its payer cannot replace the destination. */
  refundClaims: 20,
  /** Active payment links of a merchant in a mode. */
  activeLinks: 10_000,
  /** Characters of a payment link's description. */
  linkDescription: 500,
  /** The maximum `max_payments` of a payment link. */
  linkPayments: 1_000_000,
  /** Open and unpaid payment intents of a link. */
  openLinkPayments: 5_000,
  /** Open and unpaid payment intents that one client address created, of any link. */
  openAddressPayments: 20,
  /** Amounts to pay by hand that are reserved at once for the payment intents of a link. */
  linkReservations: 500,
  /** Origins to which the pages of a merchant may return. */
  returnOrigins: 100,
  /** The newest attempts of a delivery that are kept. */
  webhookAttempts: 20,
  /** Bytes of a receiver's response that are kept. */
  webhookResponseBytes: 1_000,
  /** Characters of a `return_url`. */
  returnUrlLength: 2_000,
  /** Near misses in the response to a checkout. */
  nearMisses: 5,
  /** Characters of the longest accepted identifier. */
  idLength: 100,
} as const

export const modeSchema = z.enum(modes)
export const chainSchema = z.enum(chainNames)
export const laneSchema = z.enum(['sdk', 'manual'])
export const statusSchema = z.enum([
  'requires_payment',
  'pending_confirmations',
  'succeeded',
  'expired',
  'canceled',
])
export const exceptionSchema = z.enum(['underpaid', 'overpaid', 'late', 'multiple', 'reorged'])
export const exceptionsSchema = z.array(
  z.string().meta({
    description: `One of ${exceptionSchema.options.join(', ')}; accept values added later.`,
  }),
)

export const addressSchema = z
  .string()
  .regex(/^0x[a-fA-F0-9]{40}$/, 'must be 0x followed by 40 hexadecimal digits')
export const hashSchema = z
  .string()
  .regex(/^0x[a-f0-9]{64}$/, 'must be 0x followed by 64 lower-case hexadecimal digits')
/** An amount in the token's smallest units: an integer of at most 2^53 − 1. */
export const unitsSchema = z.int()
const metadataSchema = z.record(z.string(), z.unknown())

/** Body of `POST /v1/payment_intents`. Unknown properties are refused. */
export const createPaymentIntentSchema = z.strictObject({
  amount_units: unitsSchema.min(1).meta({
    description: 'Amount in smallest token units; USDC has 6 decimals, so 1000000 is 1 USDC.',
  }),
  chain: chainSchema.optional().meta({
    description: "Defaults to the merchant's own default chain, else `base`.",
  }),
  wallet_address: addressSchema.optional().meta({
    description:
      "Recipient. Defaults to the merchant's wallet for the chain and mode. An address that belongs to another merchant is `wallet_invalid`.",
  }),
  expires_in_minutes: z.number().multipleOf(1, 'must be an integer').optional().meta({
    description: 'Clamped to 5..60, never rejected for its size. Defaults to 30.',
  }),
  lane: laneSchema.optional().meta({
    description:
      'The first screen of the checkout: wallets (`sdk`, the default) or the QR (`manual`).',
  }),
  metadata: metadataSchema.optional().meta({
    description:
      'Any JSON object of at most 16 KiB and 8 levels; echoed byte for byte, also to the payer. The checkout shows `description`, `line_items` and `fiat`.',
  }),
  token: z.literal('USDC').optional(),
})

/** The fields that creation and resolve have in common. */
export const sharedFields = {
  id: z.string().meta({ description: '`pi_` and 30 characters, ordered by time of creation.' }),
  status: z.string().meta({
    description: `One of ${statusSchema.options.join(', ')}; accept values added later.`,
  }) as unknown as z.ZodType<OpenStatus>,
  mode: modeSchema,
  chain: chainSchema,
  chain_id: z.int(),
  confirmations_required: z.int(),
  amount_units: unitsSchema,
  decimals: z.int(),
  token_symbol: z.string(),
  token_address: addressSchema,
  expected_wallet: addressSchema,
  expires_at: timeSchema,
  lane: laneSchema,
  metadata: metadataSchema,
  payment_reference: hashSchema.meta({
    description: 'Appended to the calldata of a wallet transfer; binds it to this intent.',
  }),
}

/**
 * The addresses at which a payment intent can be paid. Each link is a capability: anyone who has it can pay, and read
 * the status.
 */
export const linksSchema = responseObject({
  page: z.string().meta({
    description: 'The hosted checkout, for a person; its fragment is the client secret.',
  }),
  x402: z.string().nullable().meta({
    description:
      'For a program, by x402 version 2; null where the server relays no authorizations on this chain.',
  }),
})

/** Response of `POST /v1/payment_intents`. */
export const paymentIntentSchema = responseObject({
  ...sharedFields,
  links: linksSchema,
  client_secret: z.string().meta({ description: 'For the checkout in the browser.' }),
  expires_in_minutes: z.int(),
  created_at: timeSchema,
  payable_amount_units: unitsSchema.meta({
    description:
      'The amount that the payer sends: `amount_units`, the price, plus a tag that tells this payment from others to the same wallet; never zero, at most 1 % of the price or 99 units, and nearly always below one cent.',
  }),
})

export type PaymentIntentStatus = z.infer<typeof statusSchema>
export type PaymentIntentException = z.infer<typeof exceptionSchema>
export type Links = z.output<typeof linksSchema>
export type Lane = z.infer<typeof laneSchema>
/** Any JSON object, unless the merchant specifies a type. */
export type Metadata = z.output<typeof metadataSchema>
/** `metadata` is required if `M` has a required field. */
export type CreatePaymentIntent<M = Metadata> = Omit<
  z.input<typeof createPaymentIntentSchema>,
  'metadata'
> &
  (Record<never, never> extends M ? { metadata?: M | undefined } : { metadata: M })
/** Known values autocomplete; values that a later server adds still type-check. */
export type OpenStatus = PaymentIntentStatus | (string & {})
/** A creation's response. */
export type PaymentIntent<M = Metadata> = Omit<z.output<typeof paymentIntentSchema>, 'metadata'> & {
  metadata: M
}
