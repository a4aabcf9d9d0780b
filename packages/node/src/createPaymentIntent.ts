import {
  type CreatePaymentIntent,
  createPaymentIntentSchema,
  type PaymentIntent as IntentOfThisServer,
  paymentIntentSchema,
} from '@payment-intents/contract'
import { requestOf } from './call.ts'
import type { CallOptions } from './options.ts'
import { invalid, issuesOf } from './parameters.ts'
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
const answerSchema = /* @__PURE__ */ paymentIntentSchema.partial({
  created_at: true,
  payable_amount_units: true,
  payment_reference: true,
})

export async function createPaymentIntent(
  send: Send,
  params: CreatePaymentIntent,
  options?: CallOptions,
): Promise<PaymentIntent> {
  const answer = await send(
    () => ({
      ...requestOf('createPaymentIntent', {}),
      body: serialise(params),
      issuesOf: (body) => issuesOf(answerSchema.safeParse(body)),
    }),
    options,
  )
  return answer as PaymentIntent
}

function serialise(params: CreatePaymentIntent): string {
  const issues = issuesOf(createPaymentIntentSchema.safeParse(params))
  if (issues.length > 0) throw invalid(issues)
  try {
    return JSON.stringify(params)
  } catch {
    throw invalid([{ path: 'metadata', message: 'holds a bigint or a cycle, which JSON cannot' }])
  }
}
