import { z } from 'zod'
import { type EventType, eventTypeSchema } from './eventType.ts'
import { modeSchema } from './paymentIntent.ts'
import type { RetrievedPaymentIntent } from './retrieved.ts'
import { timeSchema } from './time.ts'
import type { Transfer } from './transfer.ts'
import type { WebhookEndpoint } from './webhookEndpoint.ts'

/** One per transition. `sequence` counts the events of one subject, an intent, a transfer or a webhook endpoint, from 1 without gaps. */
export const eventSchema = z.looseObject({
  id: z.string(),
  type: z.string().meta({
    description: `One of ${eventTypeSchema.options.join(', ')}; accept values added later.`,
  }),
  created_at: timeSchema,
  mode: modeSchema,
  sequence: z.int().min(1),
  data: z.looseObject({ object: z.record(z.string(), z.unknown()) }),
})

/** The type of `data.object`, by the first half of the event type. */
type Subjects = {
  payment_intent: RetrievedPaymentIntent
  transfer: Transfer
  webhook_endpoint: WebhookEndpoint
}
type SubjectOf<Type> = Type extends `${infer Subject extends keyof Subjects}.${string}`
  ? Subjects[Subject]
  : never

type Envelope = z.output<typeof eventSchema>

/** An event of one type, or the union of several. */
export type EventOf<Type extends EventType> = {
  [Each in Type]: Envelope & { type: Each; data: { object: SubjectOf<Each> } }
}[Type]

/**
 * Represents any type that a newer server may send. At run time the value does not begin with `unknown `; the type does
 * not overlap with known ones, since with a plain `string` a `switch` could not narrow. To compare with a newer type,
 * write `(event.type as string) === '…'`.
 */
export type UnknownEventType = `unknown ${string}`

/** `type` narrows `data.object`. A `switch` over it needs a `default` for types that are added later. */
export type Event = EventOf<EventType> | (Envelope & { type: UnknownEventType })
