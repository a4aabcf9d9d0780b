import { z } from 'zod'
import { limits } from './paymentIntent.ts'
import { responseObject } from './responseObject.ts'
import { timeSchema } from './time.ts'

/** Body of `POST /v1/payment_intents/handoff`. Unknown properties are refused. */
export const handoffRequestSchema = z.strictObject({
  client_secret: z.string().min(1).max(200),
  return_url: z.string().min(1).max(limits.returnUrlLength).optional().meta({
    description:
      'URL that the hosted page leads back to, of an origin that the merchant has registered. `payment_intent` and `redirect_status` are added to it.',
  }),
})

/** Response of `POST /v1/payment_intents/handoff`. */
export const handoffSchema = responseObject({
  url: z.string().meta({
    description:
      'The hosted page, on another device or in another browser: opens once, and a `GET` alone spends nothing.',
  }),
  expires_at: timeSchema.meta({
    description: 'In five minutes, or when the payment intent expires if that is sooner.',
  }),
})

export type HandoffRequest = z.input<typeof handoffRequestSchema>
export type Handoff = z.output<typeof handoffSchema>
