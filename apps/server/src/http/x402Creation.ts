import { x402Headers } from '@payment-intents/contract'
import {
  opened,
  type Terms,
  x402CreationPayment,
  x402CreationRefusal,
} from '@payment-intents/rules'
import type { FastifyRequest } from 'fastify'
import type { Hex } from 'viem'
import { createCheckPayment } from '../intents/checkPayment.ts'
import type { ExamineContext } from '../intents/examineAuthorization.ts'
import type { HttpContext } from './context.ts'

/** The payment by x402 that comes with a creation, as it was sent; null without one. */
export function paymentOf({ headers }: FastifyRequest): string | null {
  const header = headers[x402Headers.signature]
  return typeof header === 'string' && header !== '' ? header : null
}

/** Checks a payment before the intent that it is to pay is stored. Throws what is wrong with it. */
export function createCheckFirst(context: HttpContext) {
  const { db, gasless, clock, inspectAuthorization: inspect } = context
  const checkPayment = createCheckPayment(() => performance.now())

  return async function checkFirst(
    terms: Terms,
    header: string,
    inTurn: ExamineContext['inTurn'],
  ): Promise<void> {
    const payment = x402CreationPayment(header, terms, clock(terms.chainId).now)
    const { authorization, signature } = payment.payload
    const checked = await checkPayment(
      { db, gasless, clock, inspect, inTurn },
      {
        intent: opened(terms, { payable: terms.amount, referenceOnly: true }),
        ...{ authorization, signature: signature as Hex, source: 'x402' },
      },
    )
    if (checked.type !== 'fitting') throw x402CreationRefusal(checked)
  }
}
