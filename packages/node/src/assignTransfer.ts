import {
  type AssignTransfer,
  assignTransferSchema,
  type RetrievedPaymentIntent,
  retrievedPaymentIntentSchema,
} from '@payment-intents/contract'
import type { CallOptions } from './options.ts'
import { bodyOf, issuesOf, pathId } from './parameters.ts'
import type { Send } from './send.ts'

export async function assignTransfer(
  send: Send,
  id: string,
  params: AssignTransfer,
  options?: CallOptions,
): Promise<RetrievedPaymentIntent> {
  const answer = await send(
    () => ({
      method: 'POST',
      path: `/v1/transfers/${pathId(id)}/assign`,
      body: bodyOf(assignTransferSchema, params),
      issuesOf: (body) => issuesOf(retrievedPaymentIntentSchema.safeParse(body)),
    }),
    options,
  )
  return answer as RetrievedPaymentIntent
}
