import { isRelayed, isReorged } from '../service/parseIntent.ts'
import type { CheckoutState, KnownRequest } from './state.ts'

/**
 * Whether this checkout asked for a signature and has none yet. Such a request stays open, whatever the payer does next,
 * and keeps nobody from paying another way: nothing can pay before this checkout submits the signature.
 */
export function isUnsigned({ here, authorization, answer }: KnownRequest): boolean {
  return here !== null && authorization !== null && answer === 'none'
}

/**
 * What may still pay, so that the checkout does not ask for the money again: open requests and a reorganised
 * payment, except those that the payer is sure were not sent; and an authorization that the service says is on its way.
 */
export function doubts({ intent, requests, insistedOn }: CheckoutState): readonly string[] {
  const reorged = isReorged(intent) && !intent?.exceptions.includes('underpaid')
  const open = requests.filter((request) => !isUnsigned(request))
  const all = [...open.map(({ id }) => id), ...(reorged ? ['reorged'] : [])]
  const rest = all.filter((doubt) => !insistedOn.includes(doubt))
  return isRelayed(intent) ? [...rest, 'authorization'] : rest
}

/**
 * Those of them because of which no wallet is asked. A signature whose page is gone is none: its account may sign again, since
 * the token takes the same nonce once.
 */
export function blocking(state: CheckoutState): readonly string[] {
  return doubts(state).filter((doubt) => !state.gone.includes(doubt))
}

/** The account that may sign again, and no other; `null` if none has signed. */
export function signedBefore(state: CheckoutState): string | null {
  const open = doubts(state)
  const before = state.requests.find(({ id }) => state.gone.includes(id) && open.includes(id))
  return before?.authorization?.from ?? null
}
