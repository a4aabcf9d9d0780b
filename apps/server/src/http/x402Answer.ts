import {
  encodeX402,
  type X402Required,
  type X402Settlement,
  x402Headers,
} from '@payment-intents/contract'
import { type Intent, presentForX402 } from '@payment-intents/rules'
import type { FastifyReply } from 'fastify'

/** 402: what is to be paid, and why a payment that came with the request is not taken. */
export function askForPayment(reply: FastifyReply, intent: Intent, required: X402Required) {
  reply.status(402).header(x402Headers.required, encodeX402(required))
  return { ...required, payment_intent: presentForX402(intent) }
}

/** What became of a payment: 200, or 402 when it has not been made yet or never will be. */
export function answerSettlement(reply: FastifyReply, intent: Intent, settlement: X402Settlement) {
  reply.status(settlement.success ? 200 : 402)
  reply.header(x402Headers.response, encodeX402(settlement))
  return { ...settlement, payment_intent: presentForX402(intent) }
}

/** 200: what is paid needs no payment. */
export function answerStatus(intent: Intent) {
  return { payment_intent: presentForX402(intent) }
}
