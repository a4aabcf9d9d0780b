import type { Service } from '../service.ts'
import type {
  AuthorizationToStore,
  ConflictingAuthorizations,
  UnfitAuthorization,
} from './store.ts'
import {
  type AuthorizationSubmission,
  refusalBy,
  validateAuthorization,
} from './validateAuthorization.ts'

export type PreviewAuthorization = (
  submission: AuthorizationSubmission,
) => Promise<{ readonly type: 'fitting' } | UnfitAuthorization>

/**
 * Decides whether an authorization would be accepted, and stores nothing.
 * @param findConflicting reads the records. Its result is called in one step with `accept`, so that of two concurrent
 * previews the second sees the first
 */
export async function previewAuthorization(
  service: Pick<Service, 'store' | 'clock' | 'gasless' | 'simulateTransfer' | 'newId'>,
  submission: AuthorizationSubmission,
  findConflicting: (
    authorization: AuthorizationToStore,
  ) => Promise<() => ConflictingAuthorizations>,
  accept: (authorization: AuthorizationToStore) => void = () => {},
): ReturnType<PreviewAuthorization> {
  const validated = await validateAuthorization(service, submission)
  if (validated.type === 'repeated') return { type: 'fitting' }
  if (validated.type !== 'validated') return validated
  const authorization = { ...validated.stored, codeHash: validated.simulation.codeHash }
  const conflicting = await findConflicting(authorization)
  const refusal = refusalBy(conflicting(), validated)
  if (refusal) return refusal
  accept(authorization)
  return { type: 'fitting' }
}
