import {
  encodeX402,
  usdcDecimals,
  type X402Required,
  type X402Requirements,
  type X402Settlement,
  x402Headers,
} from '@payment-intents/contract'
import { conflict, type HttpError } from '@payment-intents/rules'
import type { FastifyReply } from 'fastify'
import { formatUnits } from 'viem'
import type { ForCheckout } from '../db/intents/paymentIntents.ts'

/** What the bearer of an x402 link may know of its intent. */
function present({ intent }: ForCheckout) {
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

/** 402: what is to be paid, and why a payment that came with the request is not taken. */
export function askForPayment(
  reply: FastifyReply,
  found: ForCheckout,
  asked: { url: string; requirements: X402Requirements; error: string },
) {
  const { amount } = found.intent
  const required: X402Required = {
    x402Version: 2,
    error: asked.error,
    resource: {
      url: asked.url,
      description: `${formatUnits(amount, usdcDecimals)} USDC to ${found.merchantName}`,
      mimeType: 'application/json',
    },
    accepts: [asked.requirements],
  }
  reply.status(402).header(x402Headers.required, encodeX402(required))
  return { ...required, payment_intent: present(found) }
}

/** What became of a payment: 200, or 402 when it has not been made yet or never will be. */
export function answerSettlement(
  reply: FastifyReply,
  found: ForCheckout,
  settlement: X402Settlement,
) {
  reply.status(settlement.success ? 200 : 402)
  reply.header(x402Headers.response, encodeX402(settlement))
  return { ...settlement, payment_intent: present(found) }
}

/** 200: what is paid needs no payment. */
export function answerStatus(found: ForCheckout) {
  return { payment_intent: present(found) }
}

/** Why an intent takes no payment by x402, if it takes none; 409. */
export function refusalOf({ intent, authorization }: ForCheckout): HttpError | null {
  if (intent.status === 'expired') {
    return conflict('intent_expired', 'The payment intent has expired: ask the shop for another.')
  }
  if (intent.status === 'canceled') {
    return conflict('illegal_state', 'The shop has canceled the payment intent.')
  }
  if (authorization?.status === 'in_flight') {
    return conflict(
      'payment_in_flight',
      'A payment of the payment intent is on its way. Do not pay again; ask in a moment.',
    )
  }
  if (intent.transfers.length > 0) {
    return conflict('illegal_state', 'A part of the amount was paid already, by other means.')
  }
  return null
}
