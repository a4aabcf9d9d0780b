import {
  type CreatePaymentIntent,
  type PaymentIntent as IntentOfThisServer,
  paymentIntentSchema,
} from '@payment-intents/contract'
import { call } from './call.ts'
import type { CallOptions } from './options.ts'
import type { Send } from './send.ts'

export type { CreatePaymentIntent }

/** Fields that the published interface does not promise, though this project's server always sends them. */
type Extra = 'created_at' | 'payable_amount_units' | 'payment_reference'

/** A payment intent as the service returned it, including fields that a later server adds. */
export type PaymentIntent = {
  [Field in keyof IntentOfThisServer as Field extends Extra
    ? never
    : Field]: IntentOfThisServer[Field]
} & Partial<Pick<IntentOfThisServer, Extra>>

// Marked, so that a bundle without this call is one without its schemas.
const answer = /* @__PURE__ */ paymentIntentSchema.partial({
  created_at: true,
  payable_amount_units: true,
  payment_reference: true,
})

export function createPaymentIntent(
  send: Send,
  params: CreatePaymentIntent,
  options?: CallOptions,
): Promise<PaymentIntent> {
  return call(send, 'createPaymentIntent', { params, answer }, options)
}
