import {
  type Chain,
  encodeX402,
  readX402Payment,
  usdcDecimals,
  type X402Payment,
  type X402Required,
  type X402Requirements,
  x402BodyOf,
  x402Headers,
} from '@payment-intents/contract'
import { type Address, formatUnits, type Hex } from 'viem'
import type { AuthorizationNonce } from '../authorizations/store.ts'
import { conflict, internalError } from '../http/httpError.ts'
import { newIntent } from '../payment-intents/creation/newIntent.ts'
import type { Terms } from '../payment-intents/intent.ts'
import { x402RefusedPayment, x402RequirementsOf, x402Unavailable } from '../payment-intents/x402.ts'
import { createLinkIntent, linkTerms } from '../payment-links/createLinkIntent.ts'
import type { OpenedLink } from '../payment-links/findForPayer.ts'
import { requireOpen } from '../payment-links/payPaymentLink.ts'
import type { Service } from '../service.ts'
import { payByX402, type X402Response, type X402Submission, type X402Waiter } from './payByX402.ts'

// A payment link, paid by a program. The unpaid 402 creates nothing; the request with a payment creates the intent.

type LinkOffer = {
  readonly chain: Chain
  readonly terms: Terms
  readonly requirements: X402Requirements
}

/**
 * Responds to a request without a payment: with the terms of a payment, on each chain of the link.
 * @throws {HttpError} if the link accepts no payment
 */
export function requireLinkPayment(
  service: Service,
  opened: OpenedLink,
  error = 'Payment required',
): X402Response {
  requireOpen(opened)
  const { link, merchantName } = opened
  const amount = fixedAmount(opened)
  const offers = offersOf(service, opened)
  if (offers.length === 0) throw x402Unavailable()
  const required: X402Required = {
    x402Version: 2,
    error,
    resource: {
      url: `${service.publicUrl}/l/${link.id}`,
      description: `${formatUnits(amount, usdcDecimals)} USDC to ${merchantName}: ${link.description}`,
      mimeType: 'application/json',
    },
    accepts: offers.map(({ requirements }) => requirements),
  }
  const headers = { [x402Headers.required]: encodeX402(required) }
  return { status: 402, headers, body: x402BodyOf(required) }
}

/** Creates an intent for a payment, once for each account and nonce, and submits the payment for it. */
export async function payLinkByX402(
  service: Service,
  opened: OpenedLink,
  submission: X402Submission,
  waiter: X402Waiter,
): Promise<X402Response> {
  const { link } = opened
  const offers = offersOf(service, opened)
  const matched = matchOffer(offers, submission.payment)
  if (matched.type === 'refused') return requireLinkPayment(service, opened, matched.reason)
  const { offer, payment } = matched
  const nonce = nonceOf(offer.terms, payment)
  const findEarlier = async () => {
    const earlier = await service.store.authorizations.findByNonce(nonce)
    const checkoutIntent =
      earlier && (await service.store.paymentIntents.findForCheckout(earlier.intent.id))
    return checkoutIntent?.intent.paymentLink === link.id ? checkoutIntent : null
  }
  // A repeated payment gets the same response, even if the link has changed since.
  const earlier = await findEarlier()
  if (earlier) return payByX402(service, earlier, submission, waiter)
  requireOpen(opened)
  waiter.countPayment(`${nonce.from} ${link.id}`)
  const refusal = await previewRefusal(service, offer.terms, payment)
  if (refusal !== null) {
    // A copy of the payment may have been submitted meanwhile: a client that gets a second request would sign again.
    const copied = await findEarlier()
    if (copied) return payByX402(service, copied, submission, waiter)
    return requireLinkPayment(service, opened, refusal)
  }
  const intentId = await createLinkIntent(service, opened, {
    ...{ chain: offer.chain, amount: offer.terms.amount, payer: null },
    key: `x402 ${nonce.chainId} ${nonce.from} ${nonce.nonce}`,
  })
  const created = await service.store.paymentIntents.findForCheckout(intentId)
  if (!created) throw internalError()
  return payByX402(service, created, submission, waiter)
}

/** @throws {HttpError} 409 if the payer names the amount, which x402 cannot express */
function fixedAmount({ link }: OpenedLink): bigint {
  if (link.amount !== null) return link.amount
  throw conflict(
    'illegal_state',
    'The payer names the amount of this link on its page, which x402 cannot do.',
  )
}

/** The requirements on each chain where a payment would be submitted. */
function offersOf(service: Service, opened: OpenedLink): LinkOffer[] {
  const { chains, merchant } = opened
  const amount = fixedAmount(opened)
  return chains.flatMap((chain) => {
    const terms = linkTerms(service, opened, { chain, amount })
    const { chainId } = terms
    if (!service.gasless.isOffered({ chainId, merchantId: merchant.id })) return []
    return [{ chain, terms, requirements: x402RequirementsOf(terms, service.clock(chainId).now) }]
  })
}

function matchOffer(
  offers: readonly LinkOffer[],
  header: string,
):
  | { readonly type: 'matched'; readonly offer: LinkOffer; readonly payment: X402Payment }
  | { readonly type: 'refused'; readonly reason: string } {
  let reason: string | null = null
  for (const offer of offers) {
    const parsed = readX402Payment(header, offer.requirements)
    if (parsed.type === 'payment') return { type: 'matched', offer, payment: parsed.payment }
    reason = parsed.reason
  }
  if (reason === null) throw x402Unavailable()
  return { type: 'refused', reason }
}

/** Why a payment would not be accepted and creates nothing; null: it would be accepted. */
async function previewRefusal(
  service: Service,
  terms: Terms,
  { payload: { authorization, signature } }: X402Payment,
): Promise<string | null> {
  const preview = await service.previewAuthorization({
    intent: newIntent(terms, { payable: terms.amount, referenceOnly: true }),
    ...{ authorization, signature: signature as Hex, source: 'x402' },
  })
  if (preview.type === 'fitting') return null
  if (preview.type === 'unavailable') throw internalError()
  return x402RefusedPayment(preview)
}

function nonceOf({ chainId }: Terms, { payload }: X402Payment): AuthorizationNonce {
  const { from, nonce } = payload.authorization
  return { chainId, from: from.toLowerCase() as Address, nonce: nonce as Hex }
}
