import type { WalletRequest } from './keptRequests.ts'
import type { CheckoutState } from './state.ts'

/** Replaces stored requests by those read now; this checkout's own requests take precedence. */
export function mergeKept(state: CheckoutState, kept: readonly WalletRequest[]): CheckoutState {
  const own = state.requests.filter(({ here }) => here)
  const others = kept.filter(({ id }) => own.every((request) => request.id !== id))
  return { ...state, requests: [...others.map((one) => ({ ...one, here: null })), ...own] }
}
