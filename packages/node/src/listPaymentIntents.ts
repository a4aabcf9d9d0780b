import {
  type ListPaymentIntents,
  listPaymentIntentsSchema,
  paymentIntentPageSchema,
  type RetrievedPaymentIntent,
} from '@payment-intents/contract'
import { type List, list } from './list.ts'
import type { ReadOptions } from './options.ts'
import type { Send } from './send.ts'

const endpoint = {
  path: () => '/v1/payment_intents',
  params: listPaymentIntentsSchema,
  page: paymentIntentPageSchema,
  cursor: ({ id }: RetrievedPaymentIntent) => id,
}

export function listPaymentIntents(
  send: Send,
  params: ListPaymentIntents = {},
  options?: ReadOptions,
): List<RetrievedPaymentIntent> {
  return list(send, endpoint, params, options)
}
