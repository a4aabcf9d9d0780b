import {
  type RetrievedPaymentIntent,
  retrievedPaymentIntentSchema,
} from '@payment-intents/contract'
import type { ReadOptions } from './options.ts'
import { issuesOf, pathId } from './parameters.ts'
import type { Send } from './send.ts'

export async function retrievePaymentIntent(
  send: Send,
  id: string,
  options?: ReadOptions,
): Promise<RetrievedPaymentIntent> {
  const answer = await send(
    () => ({
      method: 'GET',
      path: `/v1/payment_intents/${pathId(id)}`,
      issuesOf: (body) => issuesOf(retrievedPaymentIntentSchema.safeParse(body)),
    }),
    options,
  )
  return answer as RetrievedPaymentIntent
}
