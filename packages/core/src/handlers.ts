import type { Operation } from '@payment-intents/contract'
import { listAttention } from './attention/listAttention.ts'
import { listEvents, retrieveEvent } from './events/events.ts'
import { exportCsv } from './exports/exportCsv.ts'
import { createPaymentIntent } from './payment-intents/creation/createPaymentIntent.ts'
import { listPaymentIntents } from './payment-intents/listPaymentIntents.ts'
import {
  acceptPaymentIntent,
  assignTransfer,
  cancelPaymentIntent,
} from './payment-intents/paymentIntentActions.ts'
import { retrievePaymentIntent } from './payment-intents/retrievePaymentIntent.ts'
import { retrieveTimeline } from './payment-intents/timeline/retrieveTimeline.ts'
import { createPaymentLink } from './payment-links/createPaymentLink.ts'
import { listPaymentLinks } from './payment-links/listPaymentLinks.ts'
import { retrievePaymentLink } from './payment-links/retrievePaymentLink.ts'
import { updatePaymentLink } from './payment-links/updatePaymentLink.ts'
import { retrieveReceipt } from './receipts/retrieveReceipt.ts'
import { attachRefund } from './refunds/attachRefund.ts'
import { authorizeRefund } from './refunds/authorizeRefund.ts'
import { createRefund } from './refunds/createRefund.ts'
import { listRefunds } from './refunds/listRefunds.ts'
import { cancelRefund, confirmRefund, updateRefund } from './refunds/refundActions.ts'
import { retrieveRefund } from './refunds/retrieveRefund.ts'
import {
  createReturnOrigin,
  deleteReturnOrigin,
  listReturnOrigins,
} from './return-origins/returnOrigins.ts'
import type { Handler } from './service.ts'
import { retrieveSettings, updateSettings } from './settings/settings.ts'
import { retrieveSummary } from './summary/retrieveSummary.ts'
import { listTransfers } from './transfers/listTransfers.ts'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookAttempts,
  listWebhookDeliveries,
  listWebhookEndpoints,
  recoverWebhookEndpoint,
  redeliverEvent,
  retrieveWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from './webhook-endpoints/webhookEndpoints.ts'

/**
 * The endpoints of pages: authenticated by a client secret, a refund's token, a receipt's salt or a link's id, without
 * an API key.
 */
export type PublicOperation =
  | 'resolvePaymentIntent'
  | 'authorizePaymentIntent'
  | 'handOffPaymentIntent'
  | 'resolveRefund'
  | 'nameRefundDestination'
  | 'resolvePaymentLink'
  | 'payPaymentLink'
  | 'confirmReceipt'

/** The endpoints of a merchant's backend. */
export type MerchantOperation = Exclude<Operation, PublicOperation>

/** Executes each request of a merchant. */
export const handlers: { readonly [Name in MerchantOperation]: Handler<Name> } = {
  createPaymentIntent,
  listPaymentIntents,
  retrievePaymentIntent,
  retrieveReceipt,
  retrieveTimeline,
  cancelPaymentIntent,
  acceptPaymentIntent,
  listEvents,
  retrieveEvent,
  redeliverEvent,
  listTransfers,
  assignTransfer,
  exportCsv,
  listAttention,
  createRefund,
  listRefunds,
  retrieveRefund,
  updateRefund,
  confirmRefund,
  authorizeRefund,
  attachRefund,
  cancelRefund,
  createPaymentLink,
  listPaymentLinks,
  retrievePaymentLink,
  updatePaymentLink,
  retrieveSummary,
  retrieveSettings,
  updateSettings,
  listReturnOrigins,
  createReturnOrigin,
  deleteReturnOrigin,
  listWebhookEndpoints,
  createWebhookEndpoint,
  retrieveWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  recoverWebhookEndpoint,
  testWebhookEndpoint,
  listWebhookDeliveries,
  listWebhookAttempts,
}
