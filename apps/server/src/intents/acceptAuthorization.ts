import {
  checkTerms,
  type PresentableAuthorization,
  refusedAuthorization,
} from '@payment-intents/rules'
import {
  type AuthorizedIntent,
  findBeside,
  lockAuthorizer,
  storeAuthorization,
} from '../db/authorizations/authorizations.ts'
import { transaction } from '../db/connect.ts'
import { lockIntents } from '../db/intents/paymentIntents.ts'
import {
  type ExamineContext,
  examineAuthorization,
  type HandedIn,
  isOf,
  isStanding,
  type Known,
  refusalOf,
  type Unfit,
} from './examineAuthorization.ts'

export type AcceptedAuthorization =
  | {
      type: 'accepted'
      /** As it is from now on. */
      readonly intent: AuthorizedIntent
      readonly authorization: PresentableAuthorization
    }
  | Known
  | Unfit

/**
 * Takes the authorization of a payer (EIP-3009) for an intent: checks it, and stores it to be submitted. The one way in
 * which authorizations come in. Handed in again, it is answered alike.
 *
 * What is asked of the chain is asked before anything is locked; who promises how much is decided under the locks of
 * the intent and the account, so that of two at once one is refused.
 */
export async function acceptAuthorization(
  context: ExamineContext,
  handedIn: HandedIn,
): Promise<AcceptedAuthorization> {
  const { intent, source } = handedIn
  const examined = await examineAuthorization(context, handedIn)
  if (examined.type !== 'examined') return examined
  const { row, authorization, read, simulation } = examined
  return context.inTurn(() =>
    transaction(context.db, async (client): Promise<AcceptedAuthorization> => {
      const [current] = await lockIntents(client, [intent.id])
      if (!current) return refusedAuthorization('intent_expired', 'This payment intent is gone.')
      await lockAuthorizer(client, row)
      const beside = await findBeside(client, { ...row, codeHash: simulation.codeHash })
      // While it is in flight, the token has to take a signature that only an account's code can vouch for.
      const isVouched =
        beside.known && (isOf(beside.known, read) || simulation.simulated === 'passed')
      if (beside.known && isVouched && isStanding(beside.known, current)) {
        const { id, status, version } = current
        return { type: 'known', intent: { id, status, version }, authorization: beside.known }
      }
      const { now } = context.clock(intent.chainId)
      const changed = checkTerms(current, authorization, { source, now })
      if (changed.type !== 'fitting') return changed
      const refusal = refusalOf(examined, beside)
      if (refusal) return refusal
      const version = await storeAuthorization(client, row)
      const { from, validBefore } = row
      const stored = { from, status: 'in_flight', reason: null, txHash: null, validBefore } as const
      return { type: 'accepted', intent: { ...current, version }, authorization: stored }
    }),
  )
}
