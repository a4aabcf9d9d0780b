export { type Applied, applyFacts, eventsOf, type IntentEvent } from './applyFacts.ts'
export {
  type Binding,
  bind,
  type Candidates,
  type Claim,
  type Credit,
  type DecodedTransaction,
  type PriceClaim,
  payableKey,
  transferKey,
  type UnmatchedReason,
  unmatchedReasons,
} from './bind.ts'
export {
  type AuthorizationFacts,
  type AuthorizationSource,
  authorizationKey,
  type CheckedTerms,
  checkTerms,
  notRelayed,
  type RefusedAuthorization,
  refusalByOthers,
  refusalByToken,
  refusedAuthorization,
} from './checkAuthorization.ts'
export { counted, isDust, received } from './counted.ts'
export {
  type Creation,
  type CreationContext,
  create,
  type Merchant,
  opened,
  othersWallet,
} from './create.ts'
export { gaslessOffer, usdcDomain } from './gasless.ts'
export {
  conflict,
  creationConflict,
  HttpError,
  internalError,
  invalidBody,
  notFound,
  notPaid,
  rateLimited,
} from './httpError.ts'
export type { CreditedTransfer, Intent, Rail, Terms } from './intent.ts'
export { payableCandidates } from './payable.ts'
export {
  confirmReceipt,
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
} from './present.ts'
export { type PresentableTransfer, presentTransfer } from './presentTransfer.ts'
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
} from './readRequest.ts'
export { authorizationDigest, type ReadSignature, readSignature } from './readSignature.ts'
export { type Keccak256, paymentReference } from './reference.ts'
export { referencedCalls } from './referencedCalls.ts'
export { replayHeaders } from './replayHeaders.ts'
export { isPaid } from './status.ts'
export { type NearIntent, reasonWith, type Suggestion, suggest } from './suggest.ts'
export { readSupport } from './support.ts'
export { movesMoney, type TransferLog } from './transaction.ts'
export { type Fact, type Outcome, type Refusal, transition } from './transition.ts'
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
} from './x402.ts'
