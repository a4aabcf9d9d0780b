import type { WalletRequest } from './keptRequests.ts'
import type { CheckoutState } from './state.ts'

/** What the browser keeps takes the place of what it kept before; of its own requests this checkout knows better. */
export function mergeKept(state: CheckoutState, kept: readonly WalletRequest[]): CheckoutState {
  const own = state.requests.filter(({ here }) => here)
  const others = kept.filter(({ id }) => own.every((request) => request.id !== id))
  return { ...state, requests: [...others.map((one) => ({ ...one, here: null })), ...own] }
}
