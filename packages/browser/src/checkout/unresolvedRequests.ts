import { isRelayed, isReorged } from '../service/parseIntent.ts'
import type { CheckoutState, PendingRequest } from './state.ts'

/**
 * Whether this checkout requested a signature and has none yet. The request stays open while the payer does other things, and blocks no
 * other way to pay: nothing can pay before this checkout submits the signature.
 */
export function isUnsigned({ sentWith, authorization, result }: PendingRequest): boolean {
  return sentWith !== null && authorization !== null && result === 'none'
}

/**
 * Requests and payments that may still pay, so that the checkout does not request the money again: open requests and a reorganised payment,
 * except those that the payer is sure were not sent; and an authorization that the service reports on its way.
 */
export function unresolvedRequests({
  intent,
  requests,
  dismissed,
}: CheckoutState): readonly string[] {
  const reorged = isReorged(intent) && !intent?.exceptions.includes('underpaid')
  const open = requests.filter((request) => !isUnsigned(request))
  const all = [...open.map(({ id }) => id), ...(reorged ? ['reorged'] : [])]
  const rest = all.filter((unresolved) => !dismissed.includes(unresolved))
  return isRelayed(intent) ? [...rest, 'authorization'] : rest
}

/**
 * The subset that blocks a new wallet request. A signature whose page is closed does not block: its account may sign again, since the token
 * accepts a nonce only once.
 */
export function blockers(state: CheckoutState): readonly string[] {
  return unresolvedRequests(state).filter(
    (unresolved) => !state.abandonedSignatures.includes(unresolved),
  )
}

/** The only account that may sign again; `null` if no account has signed. */
export function signedBefore(state: CheckoutState): string | null {
  const unresolved = unresolvedRequests(state)
  const before = state.requests.find(
    ({ id }) => state.abandonedSignatures.includes(id) && unresolved.includes(id),
  )
  return before?.authorization?.from ?? null
}
