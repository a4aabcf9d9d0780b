export { alertMail } from './alerts/alertMail.ts'
export { alertObjectOf, alertWindows } from './alerts/alertObject.ts'
export { presentAlert } from './alerts/presentAlert.ts'
export {
  attentionOfEndpoint,
  attentionOfIntent,
  attentionOfRefund,
  attentionOfTransfer,
} from './attention/attention.ts'
export type {
  AttentionFilter,
  AttentionItem,
  AttentionObject,
  AttentionStore,
} from './attention/store.ts'
export { authorizationKey } from './authorizations/authorizationKey.ts'
export { authorizePaymentIntent } from './authorizations/authorizePaymentIntent.ts'
export {
  type PreviewAuthorization,
  previewAuthorization,
} from './authorizations/previewAuthorization.ts'
export { readSignature } from './authorizations/readSignature.ts'
export type {
  AuthorizationNonce,
  AuthorizationStore,
  AuthorizationToStore,
  AuthorizedIntent,
  ConflictingAuthorizations,
  EarlierAuthorization,
  RefundAuthorization,
  StoredAuthorization,
  SubmittedAuthorization,
  UnfitAuthorization,
} from './authorizations/store.ts'
export { submitAuthorization } from './authorizations/submitAuthorization.ts'
export type { AuthorizationSubmission } from './authorizations/validateAuthorization.ts'
export {
  type SimulateTransfer,
  type Simulation,
  validateSignedTransfer,
} from './authorizations/validateSignedTransfer.ts'
export { presentEvent, presentEvents, readEvents } from './events/events.ts'
export type { EventFilter, StoredEvent } from './events/store.ts'
export { handlers, type MerchantOperation, type PublicOperation } from './handlers.ts'
export { bodyFaults, checkBody } from './http/bodyFaults.ts'
export { errorBody } from './http/errorBody.ts'
export {
  anyOrigin,
  commonHeaders,
  jsonHeaders,
  preflight,
  requestId,
  x402AnyOrigin,
  x402Preflight,
} from './http/headers.ts'
export {
  conflict,
  HttpError,
  internalError,
  invalidBody,
  notFoundError,
  rateLimited,
} from './http/httpError.ts'
export type { JsonBody } from './http/json.ts'
export { noRoute } from './http/notFound.ts'
export { parseRequest, pathId, readBody } from './http/parseRequest.ts'
export { bearerKey, invalidApiKey, parse, refuseEncoded } from './http/readRequest.ts'
export { withoutSecrets } from './http/withoutSecrets.ts'
export type { IdPrefix } from './lib/idPrefix.ts'
export type { IntentAndTransferFilter } from './lib/listFilter.ts'
export type { Page } from './lib/presentPage.ts'
export {
  type Applied,
  applyFacts,
  type IntentEvent,
  intentEvents,
} from './payment-intents/applyFacts.ts'
export { handOffPaymentIntent } from './payment-intents/checkout/handOffPaymentIntent.ts'
export { noSuchIntent } from './payment-intents/checkout/noSuchIntent.ts'
export {
  type CheckoutView,
  presentForCheckout,
  viewForCheckout,
} from './payment-intents/checkout/presentForCheckout.ts'
export { recordOpening } from './payment-intents/checkout/recordOpening.ts'
export { returnOriginIn, returnOriginOf } from './payment-intents/checkout/returnOrigin.ts'
export { type Merchant, newIntent, newTerms } from './payment-intents/creation/newIntent.ts'
export { payableCandidates } from './payment-intents/creation/payable.ts'
export { type Keccak256, paymentReference } from './payment-intents/creation/reference.ts'
export { canReserve, withReserved } from './payment-intents/creation/reserveAmount.ts'
export type { BoundBy, CreditedTransfer, Intent, Terms } from './payment-intents/intent.ts'
export { boundByOf, payingTransfers, received } from './payment-intents/payingTransfers.ts'
export { accept, assign, cancel } from './payment-intents/paymentIntentActions.ts'
export { type Network, presentInEvent, presentNew } from './payment-intents/present.ts'
export { type ReceiptRefund, receiptRefundStatuses } from './payment-intents/receiptRefunds.ts'
export { isOpen, isPaid } from './payment-intents/status.ts'
export type {
  ActionResult,
  CheckoutIntent,
  Decision,
  EarlierCreation,
  IdempotentRequest,
  LinkPayer,
  Locked,
  NewPaymentIntent,
  PaymentIntentFilter,
  PaymentIntentStore,
  StoredCreation,
} from './payment-intents/store.ts'
export type { TimelineRecords } from './payment-intents/timeline/timelineRecords.ts'
export type { Fact, Refusal } from './payment-intents/transition.ts'
export { noSuchX402Link, x402SellerRequest } from './payment-intents/x402.ts'
export { findForPayer } from './payment-links/findForPayer.ts'
export { isUsedUp } from './payment-links/linkStatus.ts'
export type { PaymentLink } from './payment-links/paymentLink.ts'
export { payPaymentLink } from './payment-links/payPaymentLink.ts'
export { applyWithPlaces, holdsPlace, type Places } from './payment-links/places.ts'
export { resolvePaymentLink } from './payment-links/resolvePaymentLink.ts'
export type {
  LinkContext,
  OpenPayments,
  PayersLink,
  PaymentLinkCreation,
  PaymentLinkFilter,
  PaymentLinkStore,
  VisitorPayment,
} from './payment-links/store.ts'
export { logoOf, logoPath } from './pictures/logo.ts'
export type { Picture } from './pictures/pictureOf.ts'
export {
  isNotModified,
  noSuchPicture,
  picturePath,
  pictureResponse,
} from './pictures/pictureResponse.ts'
export { confirmReceipt } from './receipts/confirmReceipt.ts'
export { newRefund } from './refunds/createRefund.ts'
export { presentInRefundEvent } from './refunds/presentRefund.ts'
export type { Refund, RefundTransfer } from './refunds/refund.ts'
export type { RefundSource } from './refunds/refundable.ts'
export { nameRefundDestination, noSuchRefund, resolveRefund } from './refunds/refundPage.ts'
export { refundReference } from './refunds/refundReference.ts'
export type {
  ChangedRefund,
  CheckAccountSignature,
  LockedRefund,
  LockedSource,
  ObservedTransfer,
  ReadTransaction,
  RefundCreation,
  RefundFilter,
  RefundStore,
  WalletRole,
} from './refunds/store.ts'
export {
  type AppliedToRefund,
  applyRefundFacts,
  type RefundFact,
} from './refunds/transitionRefund.ts'
export { readReturnOrigin, returnOriginMust } from './return-origins/readReturnOrigin.ts'
export type { ReturnOriginStore, StoredReturnOrigin } from './return-origins/store.ts'
export type {
  Actor,
  Gasless,
  Service,
  ServiceRequest,
  ServiceResponse,
  Store,
  StreamedResponse,
  WrittenEvent,
} from './service.ts'
export { type BrandStyle, brandStyle } from './settings/brandStyle.ts'
export { readGuide, readSupport } from './settings/payerHelp.ts'
export { settingRules } from './settings/settingRules.ts'
export type {
  ChainChange,
  SettingsChange,
  SettingsStore,
  SettingsUpdate,
  StoredSettings,
} from './settings/store.ts'
export type { StoredSummary, SummaryPeriod, SummaryStore } from './summary/store.ts'
export { addSums, noSums, type Sums } from './summary/sums.ts'
export {
  type Binding,
  bind,
  type CandidateIntent,
  type Candidates,
  type Credit,
  type PricedIntent,
  payableKey,
  transferKey,
  type UnmatchedReason,
  unmatchedReasons,
} from './transfers/bind.ts'
export { dustUnits } from './transfers/dust.ts'
export {
  movesMoney,
  type ObservedTransaction,
  type TransferLog,
} from './transfers/observedTransaction.ts'
export { presentTransfer } from './transfers/presentTransfer.ts'
export { referencedCalls } from './transfers/referencedCalls.ts'
export type { ListedTransfer, TransferFilter } from './transfers/store.ts'
export { type NearIntent, reasonWith, type Suggestion, suggest } from './transfers/suggest.ts'
export { mayUseWallet, type WalletClaim } from './wallets/walletClaims.ts'
export {
  checkWalletSignature,
  readWalletProof,
  type WalletProofRefusal,
  walletProofMessage,
  walletProofRefusals,
} from './wallets/walletProof.ts'
export {
  type DeliveryError,
  deliveryErrors,
  deliveryTimeoutMs,
  disablingStatus,
  failingDays,
  isDelivered,
  nextWait,
} from './webhook-endpoints/nextAttempt.ts'
export { responseText } from './webhook-endpoints/responseText.ts'
export type {
  AttemptFilter,
  EndpointChange,
  EndpointTerms,
  StoredAttempt,
  StoredDelivery,
  StoredEndpoint,
  WebhookEndpointStore,
} from './webhook-endpoints/store.ts'
export { maxEndpoints, presentEndpoint } from './webhook-endpoints/webhookEndpoints.ts'
export {
  payByX402,
  requireX402Payment,
  type X402Response,
  type X402Submission,
  type X402Waiter,
} from './x402/payByX402.ts'
export { payLinkByX402, requireLinkPayment } from './x402/payLinkByX402.ts'
