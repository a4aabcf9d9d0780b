import { z } from 'zod'
import type { Alert } from './alert.ts'
import { type EventType, eventTypeSchema } from './eventType.ts'
import { type Metadata, modeSchema } from './paymentIntent.ts'
import type { ListedRefund } from './refund.ts'
import { responseObject } from './responseObject.ts'
import type { RetrievedPaymentIntent } from './retrieved.ts'
import { timeSchema } from './time.ts'
import type { Transfer } from './transfer.ts'
import type { WebhookEndpoint } from './webhookEndpoint.ts'

const envelopeSchema = responseObject({
  id: z.string(),
  type: z.string().meta({
    description: `One of ${eventTypeSchema.options.join(', ')}; accept values added later.`,
  }),
  created_at: timeSchema,
  mode: modeSchema,
  sequence: z.int().min(1),
  data: responseObject({ object: z.record(z.string(), z.unknown()) }),
})

/** One per transition. `sequence` counts the events of one subject, an intent, a transfer, a refund, a webhook endpoint or an alert, from 1 without gaps. */
export const eventSchema = envelopeSchema as unknown as z.ZodType<Event>

/** The type of `data.object`, by the first half of the event type. */
type Subjects<M> = {
  payment_intent: RetrievedPaymentIntent<M>
  transfer: Transfer
  refund: ListedRefund
  webhook_endpoint: WebhookEndpoint
  alert: Alert
}
type SubjectOf<Type, M> = Type extends `${infer Subject extends keyof Subjects<M>}.${string}`
  ? Subjects<M>[Subject]
  : never

type Envelope<Type, Subject> = Omit<z.output<typeof envelopeSchema>, 'type' | 'data'> & {
  type: Type
  data: { object: Subject }
}

/** An event of one type, or the union of several. `M` is the type of the metadata of payment intents. */
export type EventOf<Type extends EventType, M = Metadata> = {
  [Each in Type]: Envelope<Each, SubjectOf<Each, M>>
}[Type]

/**
 * Represents any type that a newer server may send. At run time the value does not begin with `unknown `; the type does
 * not overlap with known types, since with a plain `string` a `switch` could not narrow. To compare with a newer type,
 * write `(event.type as string) === '…'`.
 */
export type UnknownEventType = `unknown ${string}`

/**
 * `type` narrows `data.object`. A `switch` over it needs a `default` for types that are added later. `M` is the type of
 * the metadata of payment intents.
 */
export type Event<M = Metadata> =
  | EventOf<EventType, M>
  | Envelope<UnknownEventType, Record<string, unknown>>
