export type {
  Alert,
  AlertCause,
  AssignTransfer,
  AttachRefund,
  AttentionItem,
  AttentionType,
  AuthorizeRefund,
  ConfirmRefund,
  CreatePaymentIntent,
  CreatePaymentLink,
  CreateRefund,
  CreateReturnOrigin,
  CreateWebhookEndpoint,
  DeletedReturnOrigin,
  DeletedWebhookEndpoint,
  DeliveriesQueued,
  Event,
  EventOf,
  EventType,
  ExportCsv,
  ListAttention,
  ListEvents,
  ListedRefund,
  ListPaymentIntents,
  ListPaymentLinks,
  ListRefunds,
  ListTransfers,
  ListWebhookAttempts,
  ListWebhookDeliveries,
  Page,
  PaymentLink,
  Receipt,
  RecoverWebhookEndpoint,
  RedeliverEvent,
  Refund,
  RetrievedPaymentIntent,
  RetrievedPaymentIntentWithLinks,
  RetrieveSummary,
  ReturnOrigin,
  RotateWebhookSecret,
  Settings,
  Summary,
  TestAdvanceTime,
  TestChainResponse,
  TestMine,
  TestPayment,
  TestPaymentResponse,
  TestReorg,
  TestUnderpayment,
  Timeline,
  TimelineEntry,
  Transfer,
  UnknownAttentionType,
  UnknownEventType,
  UnknownTimelineType,
  UpdatePaymentLink,
  UpdateRefund,
  UpdateSettings,
  UpdateWebhookEndpoint,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from '@payment-intents/contract'
export { type Client, createClient } from './createClient.ts'
export {
  type Issue,
  isPaymentIntentsError,
  PaymentIntentsError,
  type PaymentIntentsErrorCode,
} from './errors/paymentIntentsError.ts'
export type {
  CallOptions,
  ClientOptions,
  Logger,
  ReadOptions,
  RetryEvent,
} from './options/clientOptions.ts'
export type { List } from './requests/list.ts'
export type { PaymentIntent } from './resources/paymentIntents.ts'
export type { RefundSigner, RefundToSign } from './resources/refundSigner.ts'
export type {
  CreateRefundOptions,
  SignableRefund,
  SignRefundOptions,
} from './resources/refunds.ts'
export { toUnits } from './toUnits.ts'
export {
  isPaymentIntentEvent,
  type PaymentIntentEvent,
} from './webhook/verification/isPaymentIntentEvent.ts'
export type { RawBody } from './webhook/verification/rawBody.ts'
export type { WebhookHeaders } from './webhook/verification/signedHeaders.ts'
export { verifyWebhook, type WebhookOptions } from './webhook/verification/verifyWebhook.ts'
export {
  isWebhookVerificationError,
  WebhookVerificationError,
  type WebhookVerificationErrorCode,
} from './webhook/verification/webhookVerificationError.ts'
