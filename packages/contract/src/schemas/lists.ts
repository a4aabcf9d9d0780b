import { z } from 'zod'
import { eventSchema } from './events.ts'
import { eventTypeSchema } from './eventType.ts'
import { attentionItemSchema, attentionTypeSchema } from './merchant/attention.ts'
import { returnOriginSchema } from './merchant/returnOrigin.ts'
import { addressSchema, chainSchema, limits, statusSchema, unitsSchema } from './paymentIntent.ts'
import { paymentLinkSchema } from './paymentLink.ts'
import { listedRefundSchema, refundStatusSchema } from './refund.ts'
import { responseObject } from './responseObject.ts'
import { retrievedPaymentIntentSchema } from './retrieved.ts'
import { timeSchema } from './time.ts'
import { transferSchema } from './transfer.ts'
import {
  webhookAttemptSchema,
  webhookDeliverySchema,
  webhookEndpointSchema,
} from './webhookEndpoint.ts'

/** One page of a list. */
export type Page<Item> = {
  data: Item[]
  /** Whether another page follows. */
  has_more: boolean
}

const limit = z
  .int()
  .min(1)
  .max(limits.pageSize.max)
  .optional()
  .meta({
    description: `Length of the page; ${limits.pageSize.default} by default.`,
  })

function startingAfter(prefix: 'pi' | 'evt' | 'tr' | 're' | 'plink' | 'att') {
  return z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-z]{30}$`), `must be an id that begins with ${prefix}_`)
    .optional()
    .meta({ description: 'The id that the page begins after, itself not included.' })
}

const paymentIntentId = z
  .string()
  .max(limits.idLength)
  .regex(/^\w+$/, 'must be the id of a payment intent')

const paymentIntent = paymentIntentId.optional().meta({
  description: 'Only those of this payment intent.',
})

const paymentLink = z
  .string()
  .max(limits.idLength)
  .regex(/^\w+$/, 'must be the id of a payment link')
  .optional()

/** A transaction hash or a reference, in upper or lower case, as explorers and wallets write them. */
const hash = z
  .string()
  .regex(/^0x[a-fA-F0-9]{64}$/, 'must be 0x followed by 64 hexadecimal digits')
  .optional()
const address = addressSchema.optional()

/** Every item is in exactly one of two adjacent periods. */
const created = {
  created_after: timeSchema.optional().meta({
    description: 'Only those created at this time or later: RFC 3339, like `2026-01-31T00:00:00Z`.',
  }),
  created_before: timeSchema.optional().meta({
    description: 'Only those created before this time: RFC 3339.',
  }),
}

/** Query of `GET /v1/payment_intents`; newest first. Unknown parameters are refused. */
export const listPaymentIntentsSchema = z.strictObject({
  limit,
  starting_after: startingAfter('pi'),
  status: statusSchema.optional(),
  chain: chainSchema.optional(),
  tx_hash: hash.meta({
    description:
      'Only those that a transfer of this transaction is or was credited to, even if the chain took it back.',
  }),
  payer: address.meta({
    description:
      'Only those that a transfer from this address is or was credited to, even if the chain took it back.',
  }),
  wallet: address.meta({ description: 'Only those with this `expected_wallet`.' }),
  reference: hash.meta({ description: 'Only the payment intent with this `payment_reference`.' }),
  amount_units: unitsSchema.min(1).optional().meta({
    description: 'Only those with this `amount_units` or `payable_amount_units`.',
  }),
  payment_link: paymentLink.meta({ description: 'Only those that pay this payment link.' }),
  ...created,
  metadata: z
    .record(z.string(), z.string())
    .refine((entries) => Object.keys(entries).length <= limits.metadataFilters, {
      error: `has more than ${limits.metadataFilters} keys`,
    })
    .optional()
    .meta({
      description:
        'Only those whose metadata has all of these at its top level: `metadata[order_id]=1042`. Strings, and numbers and booleans as they were written; at most ten.',
    }),
})

/** Query of `GET /v1/events`; oldest first, unless `order` says otherwise. */
export const listEventsSchema = z.strictObject({
  limit,
  starting_after: startingAfter('evt'),
  order: z.enum(['asc', 'desc']).optional().meta({
    description: '`asc`: oldest first, the default. `desc`: newest first, and without `wait`.',
  }),
  type: eventTypeSchema.optional(),
  payment_intent: paymentIntent,
  payment_link: paymentLink.meta({
    description: 'Only those of the payment intents that pay this payment link.',
  }),
  wait: z
    .int()
    .min(0)
    .max(limits.longPollSeconds)
    .optional()
    .meta({
      description: `If no event follows, hold the response until an event does, for at most this many seconds; then the page is empty. At most ${limits.longPollLists.key} requests of an API key and ${limits.longPollLists.merchant} of a merchant are held at once by a server process: more are 429 \`rate_limited\`.`,
    }),
})

/** Query of `GET /v1/transfers`; newest first. */
export const listTransfersSchema = z.strictObject({
  limit,
  starting_after: startingAfter('tr'),
  payment_intent: paymentIntent,
  matched: z.boolean().optional().meta({
    description: 'Whether it is credited to a payment intent.',
  }),
  chain: chainSchema.optional(),
  tx_hash: hash.meta({ description: 'Only those of this transaction.' }),
  payer: address.meta({ description: 'Only those from this address.' }),
  wallet: address.meta({ description: 'Only those to this address.' }),
  reference: hash.meta({
    description:
      'Only those that are credited to the payment intent with this `payment_reference`.',
  }),
  amount_units: unitsSchema.min(1).optional(),
  ...created,
})

/** Query of `GET /v1/refunds`; newest first. */
export const listRefundsSchema = z.strictObject({
  limit,
  starting_after: startingAfter('re'),
  payment_intent: paymentIntent,
  transfer: z.string().max(limits.idLength).regex(/^\w+$/).optional().meta({
    description: 'Only those of this transfer.',
  }),
  status: refundStatusSchema.optional(),
  tx_hash: hash.meta({ description: 'Only those that this transaction pays.' }),
  destination: address.meta({ description: 'Only those to this address.' }),
  from: address.meta({ description: 'Only those that this address has signed or paid.' }),
  reference: hash.meta({ description: 'Only the refund with this `refund_reference`.' }),
  amount_units: unitsSchema.min(1).optional(),
  ...created,
})

/** Query of `GET /v1/payment_links`; newest first. */
export const listPaymentLinksSchema = z.strictObject({
  limit,
  starting_after: startingAfter('plink'),
  active: z
    .boolean()
    .optional()
    .meta({ description: 'Only active (`true`) or inactive (`false`) links.' }),
  ...created,
})

/** Query of `GET /v1/webhook_endpoints/{id}/deliveries`; newest events first. */
export const listWebhookDeliveriesSchema = z.strictObject({
  limit,
  starting_after: startingAfter('evt'),
})

/** Query of `GET /v1/webhook_endpoints/{id}/attempts`; newest first. */
export const listWebhookAttemptsSchema = z.strictObject({
  limit,
  starting_after: startingAfter('att'),
  event: z
    .string()
    .max(limits.idLength)
    .regex(/^\w+$/, 'must be the id of an event')
    .optional()
    .meta({ description: 'Only those of this event.' }),
})

/** Query of `GET /v1/export`. */
export const exportCsvSchema = z.strictObject({
  what: z
    .enum(['payment_intents', 'transfers', 'refunds'])
    .meta({ description: 'The object of each row. Transfers include unmatched transfers.' }),
  ...created,
})

/** The response to `GET /v1/export`. */
export const exportedCsvSchema = z.string()

/** Query of `GET /v1/attention`; newest first. */
export const listAttentionSchema = z.strictObject({
  limit,
  starting_after: z
    .string()
    .regex(/^\d{1,15}_(tr|pi|re|we)_[0-9a-z]{30}$/, 'must be the cursor of an item')
    .optional()
    .meta({ description: 'The `cursor` of the item that the page begins after.' }),
  type: attentionTypeSchema.optional(),
})

/** Body of `POST /v1/transfers/{id}/assign`. */
export const assignTransferSchema = z.strictObject({
  payment_intent: paymentIntentId.meta({
    description: 'The payment intent that the transfer is to be credited to.',
  }),
})

export const paymentIntentPageSchema = pageOf(retrievedPaymentIntentSchema)
export const eventPageSchema = pageOf(eventSchema)
export const transferPageSchema = pageOf(transferSchema)
export const attentionPageSchema = pageOf(attentionItemSchema)
export const refundPageSchema = pageOf(listedRefundSchema)
export const paymentLinkPageSchema = pageOf(paymentLinkSchema)
export const returnOriginPageSchema = pageOf(returnOriginSchema)
export const webhookEndpointPageSchema = pageOf(webhookEndpointSchema)
export const webhookDeliveryPageSchema = pageOf(webhookDeliverySchema)
export const webhookAttemptPageSchema = pageOf(webhookAttemptSchema)

function pageOf<Item extends z.ZodType>(item: Item) {
  return responseObject({
    data: z.array(item),
    has_more: z.boolean().meta({ description: 'Whether another page follows.' }),
  })
}

export type ListPaymentIntents = z.input<typeof listPaymentIntentsSchema>
export type ListEvents = z.input<typeof listEventsSchema>
export type ListTransfers = z.input<typeof listTransfersSchema>
export type ListAttention = z.input<typeof listAttentionSchema>
export type ListRefunds = z.input<typeof listRefundsSchema>
export type ListPaymentLinks = z.input<typeof listPaymentLinksSchema>
export type ListWebhookDeliveries = z.input<typeof listWebhookDeliveriesSchema>
export type ListWebhookAttempts = z.input<typeof listWebhookAttemptsSchema>
export type ExportCsv = z.input<typeof exportCsvSchema>
export type AssignTransfer = z.input<typeof assignTransferSchema>
