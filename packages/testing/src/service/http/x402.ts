import {
  encodeX402,
  readX402Payment,
  type X402Settlement,
  x402Headers,
} from '@payment-intents/contract'
import {
  type HttpError,
  type Intent,
  isPaid,
  noSuchX402Link,
  presentForX402,
  x402Claimant,
  x402OutcomeOf,
  x402PaidByAnother,
  x402RefusalOf,
  x402RefusedPayment,
  x402RequiredOf,
  x402RequirementsOf,
  x402SellerRequest,
  x402UsedByAnother,
} from '@payment-intents/rules'
import { getAddress, type Hex } from 'viem'
import type { Ledger } from '../ledger.ts'
import { type Answer, json } from './answer.ts'

/**
 * Answers `GET` and `POST /x402/<token>`: asks for a payment, and takes it when it comes with the request. What is taken
 * is in a block at once, so no answer waits.
 */
export function createX402(ledger: Ledger, baseUrl: string) {
  /** By account and nonce: who handed it in first, and the request that was given out what was paid for. */
  const [claimants, given] = [new Map<string, string>(), new Map<string, string>()]

  function ask(intent: Intent, error: string): Answer {
    const url = `${baseUrl}/x402/${ledger.x402TokenOf(intent.id)}`
    const { name: merchantName } = ledger.merchant
    const required = x402RequiredOf(intent, { merchantName, url, error }, ledger.now())
    const headers = { [x402Headers.required]: encodeX402(required) }
    return {
      ...json({ ...required, payment_intent: presentForX402(intent) }, headers),
      status: 402,
    }
  }

  function refusalOf(intent: Intent): HttpError | null {
    return x402RefusalOf(intent, ledger.isInFlight(intent.id))
  }

  function refuse(intent: Intent, error: string): Answer {
    const refusal = isPaid(intent) ? x402PaidByAnother() : refusalOf(intent)
    if (refusal) throw refusal
    return ask(intent, error)
  }

  function settle(
    intent: Intent,
    payer: { from: string; nonce: string },
    { claimant, request }: { claimant: string | null; request: string | null },
  ) {
    const known = ledger.authorizationBy(payer)
    const key = `${payer.from.toLowerCase()}:${payer.nonce}`
    const outcome = x402OutcomeOf(known, intent)
    if (claimant !== null && !claimants.has(key)) claimants.set(key, claimant)
    const isTheirs = claimants.get(key) === claimant
    if (outcome.success && request !== null && isTheirs && !given.has(key)) given.set(key, request)
    const isAnothers = request !== null && !(isTheirs && (given.get(key) ?? request) === request)
    const settlement: X402Settlement = {
      ...(isAnothers ? x402UsedByAnother : outcome),
      transaction: known?.txHash ?? '',
      network: `eip155:${intent.chainId}`,
      payer: getAddress(payer.from),
    }
    const headers = { [x402Headers.response]: encodeX402(settlement) }
    const answer = json({ ...settlement, payment_intent: presentForX402(intent) }, headers)
    return { ...answer, status: settlement.success ? 200 : 402 }
  }

  return async function answerX402(token: string, headers: Headers): Promise<Answer> {
    const intent = ledger.findByX402Token(token)
    if (!intent) throw noSuchX402Link()
    const signature = headers.get(x402Headers.signature)
    if (!signature) {
      if (isPaid(intent)) return json({ payment_intent: presentForX402(intent) })
      const refusal = refusalOf(intent)
      if (refusal) throw refusal
      return ask(intent, 'Payment required')
    }
    const request = x402SellerRequest(headers.get('payment-claim'))
    const reading = readX402Payment(signature, x402RequirementsOf(intent, ledger.now()))
    if (reading.type === 'refused') return refuse(intent, reading.reason)
    const { authorization, signature: signed } = reading.payment.payload
    const claimant = x402Claimant(reading.payment, request)
    const given = { authorization, signature: signed as Hex, source: 'x402' } as const
    const handedIn = await ledger.authorize(intent.id, given)
    if (handedIn.type !== 'accepted') return refuse(current(intent), x402RefusedPayment(handedIn))
    if (ledger.isInFlight(intent.id)) ledger.mine(intent.chain, 1)
    return settle(current(intent), authorization, { claimant, request })
  }

  function current({ id }: Intent): Intent {
    const intent = ledger.find(id)
    if (!intent) throw new Error('A payment intent never goes away.')
    return intent
  }
}
