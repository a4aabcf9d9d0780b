import {
  readX402Payment,
  usdcDecimals,
  windows,
  type X402Payment,
  type X402Required,
  type X402Requirements,
  x402ClaimOf,
  x402ReasonOf,
  x402Reasons,
  x402Requirements,
} from '@payment-intents/contract'
import { formatUnits, sha256, stringToBytes } from 'viem'
import type { RefusedAuthorization } from '../authorizations/authorizationRefusals.ts'
import { conflict, HttpError, internalError, invalidBody } from '../http/httpError.ts'
import { checksummed } from '../lib/checksummed.ts'
import type { Intent, Terms } from './intent.ts'
import { isPaid } from './status.ts'

// x402 payments of intents, shared by the server and the test kit.

/** The seconds that an x402 client gets to submit its authorization, if the intent lives that long. */
const usualTimeoutSeconds = 300
/** A client counts from its own clock, which may be ahead. */
const clockSeconds = 30

/**
 * The x402 requirements of an intent.
 *
 * @param now the chain's clock, Unix milliseconds
 */
export function x402RequirementsOf(
  { chainId, wallet, amount, expiresAt }: Terms,
  now: number,
): X402Requirements {
  const seconds = Math.min(usualTimeoutSeconds, remainingSeconds(expiresAt, now) - clockSeconds)
  return x402Requirements({
    chainId,
    payTo: checksummed(wallet),
    // The submission binds the authorization to the intent, so no payable amount is needed.
    amountUnits: amount,
    maxTimeoutSeconds: Math.max(1, seconds),
  })
}

/**
 * The body of a 402, and its header, for an intent that still accepts a payment.
 * @param error why the payment in the request was not accepted
 * @throws {HttpError} if nothing signed now would be in a block in time
 */
export function x402RequiredOf(
  intent: Intent,
  resource: { readonly merchantName: string; readonly url: string; readonly error: string },
  now: number,
): X402Required {
  if (remainingSeconds(intent.expiresAt, now) < windows.gaslessOffered) {
    throw conflict(
      'intent_expired',
      'The payment intent is about to expire: request a new payment intent from the shop.',
    )
  }
  return {
    x402Version: 2,
    error: resource.error,
    resource: {
      url: resource.url,
      description: `${formatUnits(intent.amount, usdcDecimals)} USDC to ${resource.merchantName}`,
      mimeType: 'application/json',
    },
    accepts: [x402RequirementsOf(intent, now)],
  }
}

/** The fields of an intent that the bearer of its x402 link may see. */
export function presentForX402(intent: Intent) {
  return {
    id: intent.id,
    status: intent.status,
    version: intent.version,
    chain_id: intent.chainId,
    amount_units: Number(intent.amount),
    expires_at: new Date(intent.expiresAt * 1000).toISOString(),
    confirmations: intent.confirmations,
    confirmations_required: intent.confirmationsRequired,
    tx_hash: intent.txHash,
    exceptions: intent.exceptions,
  }
}

/** Why an unpaid intent accepts no payment by x402; 409. null: it accepts one. */
export function x402RefusalOf(intent: Intent, isInFlight: boolean): HttpError | null {
  if (intent.status === 'expired') {
    return conflict(
      'intent_expired',
      'The payment intent has expired: request a new payment intent from the shop.',
    )
  }
  if (intent.status === 'canceled') {
    return conflict('illegal_state', 'The shop has canceled the payment intent.')
  }
  if (isInFlight) {
    return conflict(
      'payment_in_flight',
      'A payment of the payment intent is in flight. Do not pay again; repeat this request in some seconds.',
    )
  }
  if (intent.transfers.length > 0) {
    return conflict(
      'illegal_state',
      'The payment intent has received a part already, and x402 pays the whole: pay the rest in the checkout.',
    )
  }
  return null
}

/** The state of a submitted authorization. */
type SubmissionState = { readonly status: string; readonly reason: string | null } | null

/** The settlement in the response's header: paid, or why not. */
export function x402OutcomeOf(
  submission: SubmissionState,
  intent: Intent,
): { readonly success: true } | { readonly success: false; readonly errorReason: string } {
  if (submission?.status === 'used' && isPaid(intent)) return { success: true }
  if (submission?.reason === 'authorization_used') return x402UsedByAnother
  // Not lost: the same payment sent again returns its outcome.
  if (submission?.status === 'in_flight')
    return { success: false, errorReason: x402Reasons.pending }
  const isExpired = submission?.status === 'expired'
  const errorReason = isExpired ? x402Reasons.intent_expired : x402Reasons.intent_ended
  return { success: false, errorReason }
}

/** The outcome for a payment that another claimant submitted first. */
export const x402UsedByAnother = {
  success: false,
  errorReason: x402Reasons.authorization_used,
} as const

/**
 * Why a submitted payment is refused, in the words of x402: the client may sign another.
 * @throws {HttpError} if another payment would be refused, too
 */
export function x402RefusedPayment(
  refused: RefusedAuthorization | { type: 'mismatched'; issues: readonly { path: string }[] },
): string {
  if (refused.type === 'refused') {
    const { reason, message } = refused
    if (reason === 'gasless_unavailable') throw x402Unavailable()
    if (reason === 'illegal_state' || reason === 'payment_in_flight') {
      throw conflict(reason, message)
    }
  }
  return x402ReasonOf(refused) ?? x402Reasons.payload_invalid
}

/** 409: a payer who gets a second payment request would sign again. */
export function x402PaidByAnother(): HttpError {
  return conflict('illegal_state', 'Another payment has paid the payment intent already.')
}

/** 503: the service may accept the same payment soon. */
export function x402Unavailable(): HttpError {
  const message =
    'The service submits no authorizations on this chain now: send the same payment again later.'
  const retry = { 'retry-after': '10' }
  return new HttpError('internal_error', message, { reason: 'gasless_unavailable' }, retry)
}

/** No x402 link has this token. */
export function noSuchX402Link(): HttpError {
  return new HttpError('intent_not_found', 'No payment intent has this x402 link.')
}

/**
 * The claimant that gets the goods of a payment, for good: the first to submit it. The hash of the secret sent with it,
 * or its only request without a secret, names the claimant. null: the payment buys no goods.
 * @param request see {@link x402SellerRequest}
 */
export function x402Claimant(payment: X402Payment, request: string | null): string | null {
  const secret = x402ClaimOf(payment)
  return secret === null ? request : sha256(stringToBytes(secret))
}

/**
 * The seller's request, which hands out paid goods once; null without a request.
 * @throws {HttpError} `invalid_body`
 */
export function x402SellerRequest(header: string | null): string | null {
  if (header !== null && !/^[\w-]{8,100}$/.test(header)) {
    const message = 'must be 8 to 100 letters, digits, - and _'
    throw invalidBody([{ path: 'Payment-Claim', message }])
  }
  return header
}

/**
 * The payment in a creation request.
 * @throws {HttpError} `invalid_body` if it is not for these terms
 */
export function x402CreationPayment(header: string, terms: Terms, now: number): X402Payment {
  const path = 'Payment-Signature'
  if (terms.lane === 'manual') {
    throw invalidBody([{ path, message: 'pays an intent of the lane `sdk`, not `manual`' }])
  }
  const parsed = readX402Payment(header, x402RequirementsOf(terms, now))
  if (parsed.type === 'payment') return parsed.payment
  throw invalidBody([{ path, message: `is not a payment of these terms: ${parsed.reason}` }])
}

/** Why a payment that would not be accepted creates nothing. */
export function x402CreationRefusal(
  refused:
    | RefusedAuthorization
    | { type: 'mismatched'; issues: { path: string; message: string }[] }
    | { type: 'unavailable' },
): HttpError {
  switch (refused.type) {
    case 'unavailable':
      return internalError()
    case 'mismatched':
      return invalidBody(refused.issues)
    case 'refused': {
      const { reason, message } = refused
      if (reason !== 'signature_invalid') return conflict(reason, message)
      const issues = [{ path: 'Payment-Signature', message }]
      return new HttpError('invalid_body', message, { reason, issues })
    }
  }
}

/** By the chain's clock, which decides. */
function remainingSeconds(expiresAt: number, now: number): number {
  return expiresAt - Math.ceil(now / 1000)
}
