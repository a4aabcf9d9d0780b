import { readX402Payment, type X402Payment, type X402Settlement } from '@payment-intents/contract'
import {
  type Intent,
  internalError,
  isPaid,
  x402Claimant,
  x402OutcomeOf,
  x402PaidByAnother,
  x402RefusalOf,
  x402RefusedPayment,
  x402RequiredOf,
  x402RequirementsOf,
  x402Unavailable,
  x402UsedByAnother,
} from '@payment-intents/rules'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { getAddress, type Hex } from 'viem'
import { findByNonce } from '../db/authorizations/authorizations.ts'
import { claimAuthorization } from '../db/authorizations/claimAuthorization.ts'
import { type ForCheckout, findForCheckouts } from '../db/intents/paymentIntents.ts'
import { acceptAuthorization } from '../intents/acceptAuthorization.ts'
import { isStanding } from '../intents/examineAuthorization.ts'
import { x402TokenOf } from '../secrets/x402Token.ts'
import { shareReads } from '../shareReads.ts'
import type { HttpContext } from './context.ts'
import { createGate } from './gate.ts'
import { createUntilNewer } from './untilNewer.ts'
import { answerSettlement, answerStatus, askForPayment } from './x402Answer.ts'

/** An answer waits at most this long for a payment to be seen, as a resolve may. */
const patienceSeconds = 25
/** A payment as it comes with a request. */
type Handed = {
  /** The header `PAYMENT-SIGNATURE`. */
  readonly signature: string
  /** Names the request of a seller, which gives out once what was paid for. */
  readonly sellerRequest: string | null
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/**
 * Serves an x402 link: finds its intent, requires a payment, and takes one.
 *
 * @param countPayment counts a payment that the chain is asked about. Throws where it is one too many
 */
export function createX402Payments(context: HttpContext, countPayment: (id: string) => void) {
  const { db, database, share } = context
  const now = () => performance.now()
  const gate = createGate({ most: share, waiting: 1_000, waitMs: 5_000, database })
  const inTurn = <Result>(work: () => Promise<Result>) => gate('payers', work)
  const find = shareReads({ db, database }, (ids) => findForCheckouts(db.pool, ids))
  const untilNewer = createUntilNewer(context, find)
  const accepting = {
    ...{ db, gasless: context.gasless, clock: context.clock, inTurn },
    inspect: context.inspectAuthorization,
  }

  function unpaid(found: ForCheckout, reply: FastifyReply) {
    const { intent } = found
    if (isPaid(intent)) return answerStatus(intent)
    const refusal = refusalOf(found)
    if (refusal) throw refusal
    const { chainId, merchantId } = intent
    if (!context.gasless.isOffered({ chainId, merchantId })) throw x402Unavailable()
    return ask(found, reply, 'Payment required')
  }

  function ask({ intent, merchantName }: ForCheckout, reply: FastifyReply, error: string) {
    const url = `${context.publicUrl}/x402/${x402TokenOf(intent.id, context.serverKeys.current())}`
    const required = x402RequiredOf(intent, { merchantName, url, error }, nowOf(intent))
    return askForPayment(reply, intent, required)
  }

  /** By the clock of the chain, which decides. */
  function nowOf({ chainId }: Intent): number {
    return context.clock(chainId).now
  }

  async function pay(found: ForCheckout, handed: Handed) {
    const { intent } = found
    const { sellerRequest, request, reply } = handed
    const reading = readX402Payment(handed.signature, x402RequirementsOf(intent, nowOf(intent)))
    if (reading.type === 'refused') return refuse(found, reply, reading.reason)
    const { authorization, signature } = reading.payment.payload
    const claimant = x402Claimant(reading.payment, sellerRequest)
    const before = sellerRequest === null ? null : await findHeld(intent, authorization)
    if (before && before.claimedBy !== null && before.claimedBy !== claimant) {
      // It is in the mempool for everybody to copy. Whoever sends a copy waits for nothing.
      return answerSettlement(reply, intent, settlementOf(intent, before, x402UsedByAnother))
    }
    countPayment(intent.id)
    const accepted = await acceptAuthorization(accepting, {
      ...{ intent, authorization, signature: signature as Hex },
      source: 'x402',
      claimant,
    })
    switch (accepted.type) {
      case 'unavailable':
        throw internalError()
      case 'refused':
      case 'mismatched':
        return refuse(found, reply, x402RefusedPayment(accepted))
      case 'accepted': {
        const { from, value } = authorization
        request.log.info({ payment_intent: intent.id, from, amount_units: value }, 'authorized')
      }
    }
    return settle(found, reading.payment, { claimant, sellerRequest }, reply)
  }

  /** The authorization as it was handed in before for this intent, if it may move money or has. */
  async function findHeld(intent: Intent, { from, nonce }: Payer) {
    const payer = payerOf(intent, { from, nonce })
    const found = await inTurn(() => findByNonce(db.pool, payer))
    return found && isStanding(found.known, intent) ? found.known : null
  }

  function refuse(found: ForCheckout, reply: FastifyReply, error: string) {
    // A client that is asked again would sign again.
    const refusal = isPaid(found.intent) ? x402PaidByAnother() : refusalOf(found)
    if (refusal) throw refusal
    return ask(found, reply, error)
  }

  /** Waits until the authorization is used or will never be. */
  async function settle(
    found: ForCheckout,
    { payload }: X402Payment,
    { claimant, sellerRequest }: { claimant: string | null; sellerRequest: string | null },
    reply: FastifyReply,
  ) {
    const { id } = found.intent
    const payer = payerOf(found.intent, payload.authorization)
    const giveUpAt = now() + patienceSeconds * 1000
    let seen = found
    const look = async () => (await inTurn(() => findByNonce(db.pool, payer)))?.known ?? null
    let known = await look()
    while (known?.status === 'in_flight' && now() < giveUpAt && !context.stopping.aborted) {
      const seconds = (giveUpAt - now()) / 1000
      const after = seen.intent.version
      const newer = await new Promise<ForCheckout | null>((resolve) => {
        untilNewer({ id, after, seconds }, reply.raw, resolve)
      })
      if (!newer || reply.raw.destroyed) break
      seen = newer
      known = await look()
    }
    // The relayer gave it up unsent: the same payment may be taken in a moment.
    if (known?.status === 'refused' && known.reason === 'gasless_unavailable')
      throw x402Unavailable()
    // Its amount may have been another intent's alone: what is given out is what is paid.
    if (known?.status === 'used') seen = (await find(id)) ?? seen
    const paid = { from: payer.from, txHash: known?.txHash ?? null }
    const settlement = settlementOf(seen.intent, paid, x402OutcomeOf(known, seen.intent))
    // A seller's request whose buyer is gone leaves it to the one that the buyer sends next.
    if (settlement.success && claimant !== null && sellerRequest !== null && !reply.raw.destroyed) {
      const claim = { claimant, request: sellerRequest }
      const claimed = await inTurn(() => claimAuthorization(db.pool, payer, claim))
      if (claimed === 'refused') {
        return answerSettlement(
          reply,
          seen.intent,
          settlementOf(seen.intent, paid, x402UsedByAnother),
        )
      }
    }
    return answerSettlement(reply, seen.intent, settlement)
  }

  return { find, unpaid, pay }
}

type Payer = Pick<X402Payment['payload']['authorization'], 'from' | 'nonce'>

function payerOf({ chainId }: Intent, { from, nonce }: Payer) {
  return { chainId, from: from.toLowerCase() as Hex, nonce: nonce as Hex }
}

function settlementOf(
  { chainId }: Intent,
  { from, txHash }: { from: Hex; txHash: string | null },
  outcome: ReturnType<typeof x402OutcomeOf>,
): X402Settlement {
  const payer = getAddress(from)
  return { ...outcome, transaction: txHash ?? '', network: `eip155:${chainId}`, payer }
}

function refusalOf({ intent, authorization }: ForCheckout) {
  return x402RefusalOf(intent, authorization?.status === 'in_flight')
}
