import { z } from 'zod'
import { addressSchema, hashSchema, limits, unitsSchema } from './paymentIntent.ts'
import { responseObject } from './responseObject.ts'
import { timeSchema } from './time.ts'

/** The fields of each type of entry besides `type` and `time`. */
const entries = {
  created: {},
  opened: {},
  event: {
    event: z.string(),
    event_type: z.string(),
    refund: z.string().nullable().meta({ description: 'The refund that the event is about.' }),
  },
  transfer: {
    transfer: z.string(),
    tx_hash: hashSchema,
    amount_units: unitsSchema,
    from: addressSchema,
    block_number: z.int(),
    block_timestamp: timeSchema,
    confirmations: z.int().nullable().meta({
      description: 'Set for the transaction in `tx_hash` of the payment intent; null for others.',
    }),
    bound_by: z.string(),
    orphaned: z.boolean(),
  },
  authorization_submitted: {
    from: addressSchema,
    source: z.string().meta({ description: '`checkout` or `x402`; accept values added later.' }),
  },
  authorization_broadcast: { from: addressSchema, tx_hash: hashSchema },
  authorization_ended: {
    from: addressSchema,
    status: z.string().meta({
      description: '`used`, `refused` or `expired`; accept values added later.',
    }),
    reason: z.string().nullable(),
    tx_hash: hashSchema.nullable(),
  },
  delivery: {
    event: z.string(),
    webhook_endpoint: z.string(),
    status: z.string().meta({ description: '`pending`, `succeeded` or `failed`.' }),
    attempts: z.int(),
    next_attempt_at: timeSchema.nullable(),
    response_status: z.int().nullable(),
    error: z.string().nullable(),
  },
  refund: {
    refund: z.string(),
    status: z.string(),
    amount_units: unitsSchema,
    tx_hash: hashSchema.nullable(),
  },
} as const

function entry<Type extends keyof typeof entries>(type: Type) {
  const shape: (typeof entries)[Type] = entries[type]
  return responseObject({ type: z.literal(type), time: timeSchema, ...shape })
}

/** An entry of a payment intent's timeline. A later server may add types. */
export const timelineEntrySchema = z.discriminatedUnion('type', [
  entry('created'),
  entry('opened'),
  entry('event'),
  entry('transfer'),
  entry('authorization_submitted'),
  entry('authorization_broadcast'),
  entry('authorization_ended'),
  entry('delivery'),
  entry('refund'),
])

/** Response of `GET /v1/payment_intents/{id}/timeline`. */
export const timelineSchema = responseObject({
  data: z.array(timelineEntrySchema),
  truncated: z.boolean().meta({
    description: `Whether more happened than is shown: the ${limits.timeline.transfers} largest transfers, the first ${limits.timeline.events} events, and of all else the first ${limits.timeline.others}. The lists have all of it.`,
  }),
})

/** Represents any type that a newer server may send, as `UnknownEventType` does. */
export type UnknownTimelineType = `unknown ${string}`

/** `type` narrows the entry. A `switch` over it needs a `default` for types that are added later. */
export type TimelineEntry =
  | z.output<typeof timelineEntrySchema>
  | { type: UnknownTimelineType; time: string }
export type Timeline = Omit<z.output<typeof timelineSchema>, 'data'> & { data: TimelineEntry[] }
