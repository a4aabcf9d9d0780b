import {
  type CreatePaymentIntent,
  type PaymentIntent as IntentOfThisServer,
  paymentIntentSchema,
} from '@payment-intents/contract'
import { call } from './call.ts'
import type { CallOptions, Limits } from './options.ts'
import type { Answer } from './request.ts'
import type { Send } from './send.ts'

export type { CreatePaymentIntent }

/** Fields that the published interface does not promise, though this project's server always sends them. */
type Extra = 'created_at' | 'links' | 'payable_amount_units' | 'payment_reference'

/** A payment intent as the service returned it, including fields that a later server adds. */
export type PaymentIntent = {
  [Field in keyof IntentOfThisServer as Field extends Extra
    ? never
    : Field]: IntentOfThisServer[Field]
} & Partial<Pick<IntentOfThisServer, Extra>> & {
    /**
     * How the intent has ended, when this is the stored answer to an earlier call with the same `idempotencyKey`: it
     * cannot be paid any more. After `expired` or `canceled`, an order that is to be paid needs a new key. From the
     * header `Payment-Intent-Status`; the other fields are as they were.
     */
    ended_as?: 'expired' | 'canceled' | 'succeeded' | (string & {})
  }

// Marked, so that a bundle without this call is one without its schemas.
const answer = /* @__PURE__ */ paymentIntentSchema.partial({
  created_at: true,
  links: true,
  payable_amount_units: true,
  payment_reference: true,
})

/**
 * A buyer waits for this call, and gives up after about ten seconds. The service answers within two, or is in trouble:
 * a second and a third attempt, perhaps at another of its processes, are worth more than a longer wait.
 */
const limits: Limits = { timeout: 4_000, deadline: 10_000 }

export function createPaymentIntent(
  send: Send,
  params: CreatePaymentIntent,
  options?: CallOptions,
): Promise<PaymentIntent> {
  return call(send, 'createPaymentIntent', { params, answer, complete, limits }, options)
}

function complete(body: unknown, headers: Answer['headers']): unknown {
  const status = headers.get('payment-intent-status')
  // Not a text of any kind, which might quote a secret.
  return status && /^[a-z_]{1,40}$/.test(status) ? { ...Object(body), ended_as: status } : body
}
