import {
  encodeX402,
  readX402Payment,
  type X402Payment,
  type X402Settlement,
  x402BodyOf,
  x402Headers,
} from '@payment-intents/contract'
import { type Address, getAddress, type Hex } from 'viem'
import type { AuthorizationNonce } from '../authorizations/store.ts'
import { submitAuthorization } from '../authorizations/submitAuthorization.ts'
import { isStanding } from '../authorizations/validateAuthorization.ts'
import { type HttpError, internalError } from '../http/httpError.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { isPaid } from '../payment-intents/status.ts'
import type { CheckoutIntent } from '../payment-intents/store.ts'
import {
  presentForX402,
  x402Claimant,
  x402OutcomeOf,
  x402PaidByAnother,
  x402RefusalOf,
  x402RefusedPayment,
  x402RequiredOf,
  x402RequirementsOf,
  x402Unavailable,
  x402UsedByAnother,
} from '../payment-intents/x402.ts'
import type { Service } from '../service.ts'

/** A payment in a request to an x402 link. */
export type X402Submission = {
  /** The header `PAYMENT-SIGNATURE`. */
  readonly payment: string
  /** Names the seller's request, which hands out paid goods once. */
  readonly sellerRequest: string | null
}

/** How the caller of an x402 link waits. */
export type X402Waiter = {
  /** Called before a subject's payment is checked on the chain. Throws if there are too many payments. */
  countPayment(subject: string): void
  /** Waits for a newer version of an intent; null: the wait is over. */
  next(intent: Intent): Promise<CheckoutIntent | null>
  isDisconnected(): boolean
}

export type X402Response = {
  readonly status: 200 | 402
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  /** A new authorization was stored; for the log. */
  readonly authorized?: { readonly from: string; readonly value: string }
}

/**
 * Responds to a request without a payment: with the intent's status once it is paid, else with its payment
 * requirements.
 */
export function requireX402Payment(service: Service, checkoutIntent: CheckoutIntent): X402Response {
  const { intent } = checkoutIntent
  if (isPaid(intent))
    return { status: 200, headers: {}, body: { payment_intent: presentForX402(intent) } }
  const refusal = refusalOf(checkoutIntent)
  if (refusal) throw refusal
  const { chainId, merchantId } = intent
  if (!service.gasless.isOffered({ chainId, merchantId })) throw x402Unavailable()
  return require(service, checkoutIntent, 'Payment required')
}

/**
 * Submits a payment, and responds once it is in a block or never will be, or when the caller no longer waits. A
 * repeated payment gets the same response.
 */
export async function payByX402(
  service: Service,
  checkoutIntent: CheckoutIntent,
  { payment, sellerRequest }: X402Submission,
  waiter: X402Waiter,
): Promise<X402Response> {
  const { intent } = checkoutIntent
  const { now } = service.clock(intent.chainId)
  const parsed = readX402Payment(payment, x402RequirementsOf(intent, now))
  if (parsed.type === 'refused') return refuse(service, checkoutIntent, parsed.reason)
  const { authorization, signature } = parsed.payment.payload
  const nonce = nonceOf(intent, parsed.payment)
  const claimant = x402Claimant(parsed.payment, sellerRequest)
  if (sellerRequest !== null) {
    const before = await service.store.authorizations.findByNonce(nonce)
    const earlier = before && isStanding(before.earlier, intent) ? before.earlier : null
    if (earlier && earlier.claimedBy !== null && earlier.claimedBy !== claimant) {
      // It is in the mempool for everybody to copy. The sender of a copy does not wait.
      return settled(intent, settlementOf(intent, nonce, earlier.txHash, x402UsedByAnother))
    }
  }
  waiter.countPayment(intent.id)
  const submitted = await submitAuthorization(service, {
    ...{ intent, authorization, claimant },
    ...{ signature: signature as Hex, source: 'x402' },
  })
  if (submitted.type === 'unavailable') throw internalError()
  if (submitted.type === 'refused' || submitted.type === 'mismatched') {
    return refuse(service, checkoutIntent, x402RefusedPayment(submitted))
  }
  const response = await settle(service, checkoutIntent, { nonce, claimant, sellerRequest }, waiter)
  if (submitted.type === 'repeated') return response
  return { ...response, authorized: { from: authorization.from, value: authorization.value } }
}

async function settle(
  { store }: Service,
  checkoutIntent: CheckoutIntent,
  payment: { nonce: AuthorizationNonce; claimant: string | null; sellerRequest: string | null },
  waiter: X402Waiter,
): Promise<X402Response> {
  const { nonce, claimant, sellerRequest } = payment
  const find = async () => (await store.authorizations.findByNonce(nonce))?.earlier ?? null
  let { intent } = checkoutIntent
  let earlier = await find()
  while (earlier?.status === 'in_flight') {
    const newer = await waiter.next(intent)
    if (!newer) break
    intent = newer.intent
    earlier = await find()
  }
  // The relayer gave it up before it broadcast it: the service may accept the same payment soon.
  if (earlier?.status === 'refused' && earlier.reason === 'gasless_unavailable') {
    throw x402Unavailable()
  }
  // Another payment may have completed the intent: hand out only the goods that this payment paid for.
  if (earlier?.status === 'used') {
    intent = (await store.paymentIntents.findForCheckout(intent.id))?.intent ?? intent
  }
  const txHash = earlier?.txHash ?? null
  const outcome = x402OutcomeOf(earlier, intent)
  // If a seller's buyer has disconnected, leave the claim to the buyer's next request.
  if (outcome.success && claimant !== null && sellerRequest !== null && !waiter.isDisconnected()) {
    const claim = { claimant, request: sellerRequest }
    if ((await store.authorizations.claim(nonce, claim)) === 'refused') {
      return settled(intent, settlementOf(intent, nonce, txHash, x402UsedByAnother))
    }
  }
  return settled(intent, settlementOf(intent, nonce, txHash, outcome))
}

/** A client that gets a second payment request would sign again: send it only where a payment is still wanted. */
function refuse(service: Service, checkoutIntent: CheckoutIntent, error: string): X402Response {
  const refusal = isPaid(checkoutIntent.intent) ? x402PaidByAnother() : refusalOf(checkoutIntent)
  if (refusal) throw refusal
  return require(service, checkoutIntent, error)
}

/** 402: the terms to pay, and why the payment in the request was not accepted. */
function require(
  { secrets, publicUrl, clock }: Service,
  { intent, merchantName }: CheckoutIntent,
  error: string,
): X402Response {
  const url = `${publicUrl}/x402/${secrets.x402Token(intent.id, secrets.currentKey())}`
  // The chain's clock decides.
  const required = x402RequiredOf(intent, { merchantName, url, error }, clock(intent.chainId).now)
  return {
    status: 402,
    headers: { [x402Headers.required]: encodeX402(required) },
    body: { ...x402BodyOf(required), payment_intent: presentForX402(intent) },
  }
}

/** The outcome of a payment: 200, or 402 until it is made or if it never will be. */
function settled(intent: Intent, settlement: X402Settlement): X402Response {
  return {
    status: settlement.success ? 200 : 402,
    headers: { [x402Headers.response]: encodeX402(settlement) },
    body: { ...settlement, payment_intent: presentForX402(intent) },
  }
}

function settlementOf(
  { chainId }: Intent,
  { from }: AuthorizationNonce,
  txHash: string | null,
  outcome: ReturnType<typeof x402OutcomeOf>,
): X402Settlement {
  const payer = getAddress(from)
  return { ...outcome, transaction: txHash ?? '', network: `eip155:${chainId}`, payer }
}

function nonceOf({ chainId }: Intent, { payload }: X402Payment): AuthorizationNonce {
  const { from, nonce } = payload.authorization
  return { chainId, from: from.toLowerCase() as Address, nonce: nonce as Hex }
}

function refusalOf({ intent, authorization }: CheckoutIntent): HttpError | null {
  return x402RefusalOf(intent, authorization?.status === 'in_flight')
}
