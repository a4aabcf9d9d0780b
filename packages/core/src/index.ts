export { alertMail } from './alerts/alertMail.ts'
export { type AlertObject, alertObjectOf, alertWindows } from './alerts/alertObject.ts'
export { presentAlert, type RaisedAlert } from './alerts/presentAlert.ts'
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
export { authorizePaymentIntent } from './authorizations/authorizePaymentIntent.ts'
export {
  type AuthorizationFacts,
  type AuthorizationSource,
  authorizationKey,
  type CheckedTerms,
  checkTerms,
  notRelayed,
  type RefusedAuthorization,
  refusalByConflict,
  refusalByToken,
  refusedAuthorization,
} from './authorizations/checkAuthorization.ts'
export {
  type PreviewAuthorization,
  previewAuthorization,
} from './authorizations/previewAuthorization.ts'
export {
  authorizationDigest,
  type ParsedSignature,
  readSignature,
} from './authorizations/readSignature.ts'
export type {
  AuthorizationNonce,
  AuthorizationStore,
  AuthorizationToStore,
  AuthorizedIntent,
  ConflictingAuthorizations,
  EarlierAuthorization,
  RefundAuthorization,
  SignedTransfer,
  StoredAuthorization,
  SubmittedAuthorization,
  UnfitAuthorization,
} from './authorizations/store.ts'
export { submitAuthorization } from './authorizations/submitAuthorization.ts'
export { type AuthorizationSubmission, isStanding } from './authorizations/validateAuthorization.ts'
export {
  type InspectTransfer,
  type Simulation,
  type ValidatedTransfer,
  validateTransfer,
} from './authorizations/validateTransfer.ts'
export { presentEvent, presentEvents, readEvents } from './events/events.ts'
export type { EventFilter, EventStore, StoredEvent } from './events/store.ts'
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
  creationConflict,
  HttpError,
  internalError,
  invalidBody,
  notFoundError,
  notPaid,
  rateLimited,
} from './http/httpError.ts'
export type { JsonBody } from './http/json.ts'
export { noRoute, unknownRoute } from './http/notFound.ts'
export { parseRequest, pathId, type RawRequest, readBody } from './http/parseRequest.ts'
export {
  bearerKey,
  checkMetadata,
  depthOf,
  idempotencyKey,
  invalidApiKey,
  parse,
  queryValue,
  readObject,
  refuseEncoded,
} from './http/readRequest.ts'
export { withoutSecrets } from './http/withoutSecrets.ts'
export type { IdPrefix } from './lib/idPrefix.ts'
export { type Page, presentPage } from './lib/presentPage.ts'
export type { Search } from './lib/search.ts'
export {
  type Applied,
  applyFacts,
  eventsOf,
  type IntentEvent,
} from './payment-intents/applyFacts.ts'
export { gaslessOffer, usdcDomain } from './payment-intents/checkout/gaslessOffer.ts'
export { handOffPaymentIntent } from './payment-intents/checkout/handOffPaymentIntent.ts'
export { noSuchIntent } from './payment-intents/checkout/noSuchIntent.ts'
export { recordOpening } from './payment-intents/checkout/recordOpening.ts'
export { presentForCheckout } from './payment-intents/checkout/resolvePaymentIntent.ts'
export { returnOriginIn, returnOriginOf } from './payment-intents/checkout/returnOrigin.ts'
export {
  type CreationContext,
  type Merchant,
  newIntent,
  newTerms,
  walletInUse,
} from './payment-intents/creation/newIntent.ts'
export { payableCandidates } from './payment-intents/creation/payable.ts'
export { type Keccak256, paymentReference } from './payment-intents/creation/reference.ts'
export { replayHeaders } from './payment-intents/creation/replayHeaders.ts'
export { canReserve, withReserved } from './payment-intents/creation/reserveAmount.ts'
export type { BoundBy, CreditedTransfer, Intent, Terms } from './payment-intents/intent.ts'
export { linksOf } from './payment-intents/links.ts'
export { boundByOf, isDust, payingTransfers, received } from './payment-intents/payingTransfers.ts'
export { accept, assign, cancel } from './payment-intents/paymentIntentActions.ts'
export {
  type NearMiss,
  type Network,
  type PresentableAuthorization,
  presentAuthorized,
  presentCreated,
  presentInEvent,
  presentNew,
  presentReceipt,
  presentResolved,
  withClientSecret,
  withLinks,
} from './payment-intents/present.ts'
export { type ReceiptRefund, receiptRefundStatuses } from './payment-intents/receiptRefunds.ts'
export { isOpen, isPaid } from './payment-intents/status.ts'
export type {
  ActionResult,
  AssignableTransfer,
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
export { type Fact, type Outcome, type Refusal, transition } from './payment-intents/transition.ts'
export {
  noSuchX402Link,
  presentForX402,
  x402Claimant,
  x402CreationPayment,
  x402CreationRefusal,
  x402OutcomeOf,
  x402PaidByAnother,
  x402RefusalOf,
  x402RefusedPayment,
  x402RequiredOf,
  x402RequirementsOf,
  x402SellerRequest,
  x402Unavailable,
  x402UsedByAnother,
} from './payment-intents/x402.ts'
export { findForPayer, type OpenedLink } from './payment-links/findForPayer.ts'
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
export { linkPicture } from './pictures/linkPicture.ts'
export { logoOf, logoPath } from './pictures/logo.ts'
export { type Picture, type PictureBounds, pictureOf } from './pictures/pictureOf.ts'
export {
  isNotModified,
  noSuchPicture,
  picturePath,
  pictureResponse,
} from './pictures/pictureResponse.ts'
export { confirmReceipt } from './receipts/confirmReceipt.ts'
export { newRefund, type RefundRequest } from './refunds/createRefund.ts'
export { presentInRefundEvent } from './refunds/presentRefund.ts'
export type { Refund, RefundTransfer } from './refunds/refund.ts'
export { type RefundSource, settledUnits } from './refunds/refundable.ts'
export { nameRefundDestination, noSuchRefund, resolveRefund } from './refunds/refundPage.ts'
export { type RefundReferenceTerms, refundReference } from './refunds/refundReference.ts'
export type {
  ChangedRefund,
  CheckAccountSignature,
  LockedRefund,
  LockedSource,
  ObservedTransfer,
  PageRefund,
  ReadTransaction,
  RefundCreation,
  RefundFilter,
  RefundStore,
  SourceId,
  WalletRole,
} from './refunds/store.ts'
export {
  type AppliedToRefund,
  applyRefundFacts,
  type RefundEvent,
  type RefundFact,
  transitionRefund,
} from './refunds/transitionRefund.ts'
export { readReturnOrigin, returnOriginMust } from './return-origins/readReturnOrigin.ts'
export type { ReturnOriginStore, StoredReturnOrigin } from './return-origins/store.ts'
export type {
  Actor,
  Gasless,
  Handler,
  Secrets,
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
  type Candidates,
  type Claim,
  type Credit,
  type PriceClaim,
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
export { type PresentableTransfer, presentTransfer } from './transfers/presentTransfer.ts'
export { referencedCalls } from './transfers/referencedCalls.ts'
export type { ListedTransfer, TransferFilter, TransferStore } from './transfers/store.ts'
export { type NearIntent, reasonWith, type Suggestion, suggest } from './transfers/suggest.ts'
export { mayUseWallet, type WalletClaim, walletHolders } from './wallets/walletClaims.ts'
export {
  checkWalletSignature,
  readWalletProof,
  type SignedWalletProof,
  type WalletProofRefusal,
  type WalletProofTerms,
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
