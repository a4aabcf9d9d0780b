import {
  type Creation,
  type Intent,
  opened,
  x402CreationPayment,
  x402CreationRefusal,
} from '@payment-intents/rules'
import type { Hex } from 'viem'
import type { Given, Unfit } from './authorizations.ts'

/**
 * Checks the payment that comes with a creation, as handing it in would.
 *
 * @throws {HttpError} when it would not be taken
 */
export async function checkPayment(
  decided: Creation,
  header: string,
  { now, check }: { now: number; check: (intent: Intent, given: Given) => Promise<Unfit | null> },
): Promise<void> {
  if (decided.type !== 'created') return
  const { terms } = decided
  const { payload } = x402CreationPayment(header, terms, now)
  const { authorization, signature } = payload
  const intent = opened(terms, { payable: terms.amount, referenceOnly: true })
  const refusal = await check(intent, {
    authorization,
    signature: signature as Hex,
    source: 'x402',
  })
  if (refusal) throw x402CreationRefusal(refusal)
}
