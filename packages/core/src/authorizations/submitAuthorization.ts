import type { Service } from '../service.ts'
import { refusedAuthorization } from './authorizationRefusals.ts'
import { checkTerms } from './checkTerms.ts'
import type { SubmittedAuthorization } from './store.ts'
import {
  type AuthorizationSubmission,
  isSameSignature,
  isStanding,
  refusalBy,
  validateAuthorization,
} from './validateAuthorization.ts'

/**
 * Validates a payer's authorization (EIP-3009) for an intent and stores it to be broadcast. Every authorization enters
 * the service here. A repeated submission gets the same result.
 * The chain is read before anything is locked. Conflicts are decided under the locks of the intent and the account, so
 * that one of two concurrent submissions is refused.
 */
export async function submitAuthorization(
  service: Pick<Service, 'store' | 'clock' | 'gasless' | 'simulateTransfer' | 'newId'>,
  submission: AuthorizationSubmission,
): Promise<SubmittedAuthorization> {
  const { source } = submission
  const validated = await validateAuthorization(service, submission)
  if (validated.type !== 'validated') return validated
  const { stored, authorization, parsedSignature, simulation } = validated
  const { codeHash } = simulation
  return service.store.authorizations.submit({ ...stored, codeHash }, (intent, conflicting) => {
    if (!intent)
      return refusedAuthorization('intent_expired', 'This payment intent no longer exists.')
    const { earlier } = conflicting
    // Another signature of a contract counts as a repeat only if the token accepts it now.
    const isSameSigner =
      earlier && (isSameSignature(earlier, parsedSignature) || simulation.simulated === 'passed')
    if (earlier && isSameSigner && isStanding(earlier, intent)) {
      const { id, status, version } = intent
      return { type: 'repeated', intent: { id, status, version }, authorization: earlier }
    }
    const { now } = service.clock(intent.chainId)
    const terms = checkTerms(intent, authorization, { source, now })
    if (terms.type !== 'fitting') return terms
    return refusalBy(conflicting, validated) ?? { type: 'store' }
  })
}
