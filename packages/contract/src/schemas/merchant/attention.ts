import { z } from 'zod'
import type { Metadata } from '../paymentIntent.ts'
import { type Refund, refundSchema } from '../refund.ts'
import { responseObject } from '../responseObject.ts'
import {
  type RetrievedPaymentIntentWithLinks,
  retrievedPaymentIntentWithLinksSchema,
} from '../retrieved.ts'
import { timeSchema } from '../time.ts'
import { transferSchema } from '../transfer.ts'
import { webhookEndpointSchema } from '../webhookEndpoint.ts'

/** Why somebody has to look into an object. */
export const attentionTypeSchema = z.enum([
  'transfer_unmatched',
  'payment_intent_underpaid',
  'payment_intent_late',
  'payment_intent_overpaid',
  'payment_intent_reversed',
  'refund_waiting',
  'webhook_endpoint_failing',
])

const common = {
  since: timeSchema.meta({ description: 'Time at which it came up.' }),
  cursor: z.string().meta({
    description: '`starting_after` of the page that begins after this item; opaque.',
  }),
}

/** An object that somebody has to decide on or look into, as its own endpoint returns it. A later server may add types. */
export const attentionItemSchema = z.discriminatedUnion('type', [
  responseObject({
    type: z.literal('transfer_unmatched').meta({
      description: 'A transfer of at least a cent that is neither credited nor refunded.',
    }),
    ...common,
    transfer: transferSchema,
  }),
  responseObject({
    type: z
      .literal([
        'payment_intent_underpaid',
        'payment_intent_late',
        'payment_intent_overpaid',
        'payment_intent_reversed',
      ])
      .meta({
        description:
          '`payment_intent_underpaid`: too little had arrived at the deadline. `payment_intent_late`: something arrived after it, or after a cancellation. `payment_intent_overpaid`: more arrived than was due, or twice. These stay until refunds that are not canceled cover what is to be paid back, to less than a cent. `payment_intent_reversed`: the chain took back what had succeeded, and nothing has paid it since.',
      }),
    ...common,
    payment_intent: retrievedPaymentIntentWithLinksSchema,
  }),
  responseObject({
    type: z.literal('refund_waiting').meta({
      description: 'The refund waits for a destination, a confirmation or a signature.',
    }),
    ...common,
    refund: refundSchema,
  }),
  responseObject({
    type: z.literal('webhook_endpoint_failing').meta({
      description: 'The endpoint is enabled, and no delivery has succeeded for an hour.',
    }),
    ...common,
    webhook_endpoint: webhookEndpointSchema,
  }),
])

export type AttentionType = z.infer<typeof attentionTypeSchema>

/** Represents any type that a newer server may send, as `UnknownEventType` does. */
export type UnknownAttentionType = `unknown ${string}`

/** `type` narrows the item. A `switch` over it needs a `default` for types that are added later. */
export type AttentionItem<M = Metadata> =
  | WithMetadata<z.output<typeof attentionItemSchema>, M>
  | { type: UnknownAttentionType; since: string; cursor: string }

type WithMetadata<Item, M> = Item extends { payment_intent: object }
  ? Omit<Item, 'payment_intent'> & { payment_intent: RetrievedPaymentIntentWithLinks<M> }
  : Item extends { refund: object }
    ? Omit<Item, 'refund'> & { refund: Refund<M> }
    : Item
