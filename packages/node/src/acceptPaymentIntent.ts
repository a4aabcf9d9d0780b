import {
  type RetrievedPaymentIntent,
  retrievedPaymentIntentSchema,
} from '@payment-intents/contract'
import type { CallOptions } from './options.ts'
import { issuesOf, pathId } from './parameters.ts'
import type { Send } from './send.ts'

export async function acceptPaymentIntent(
  send: Send,
  id: string,
  options?: CallOptions,
): Promise<RetrievedPaymentIntent> {
  const answer = await send(
    () => ({
      method: 'POST',
      path: `/v1/payment_intents/${pathId(id)}/accept`,
      issuesOf: (body) => issuesOf(retrievedPaymentIntentSchema.safeParse(body)),
    }),
    options,
  )
  return answer as RetrievedPaymentIntent
}
