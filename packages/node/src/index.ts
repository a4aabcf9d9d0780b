export type {
  Event,
  ListEvents,
  ListPaymentIntents,
  ListTransfers,
  Page,
  RetrievedPaymentIntent,
  Transfer,
} from '@payment-intents/contract'
export { type Client, createClient } from './createClient.ts'
export type { CreatePaymentIntent, PaymentIntent } from './createPaymentIntent.ts'
export {
  type Issue,
  isPaymentIntentsError,
  PaymentIntentsError,
  type PaymentIntentsErrorCode,
} from './errors.ts'
export type { List } from './list.ts'
export type { CallOptions, ClientOptions, Logger, ReadOptions, RetryEvent } from './options.ts'
export { toUnits } from './toUnits.ts'
