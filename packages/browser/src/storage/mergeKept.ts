import type { CheckoutState } from '../checkout/state.ts'
import type { WalletRequest } from './keptRequests.ts'

/**
 * Replaces stored requests by those read now; this checkout's own requests take precedence. A newer record of another checkout ends this
 * checkout's attempt, and the payer's assurance, which covers only earlier records.
 */
export function mergeKept(state: CheckoutState, kept: readonly WalletRequest[]): CheckoutState {
  const { requests } = state
  const own = requests.filter(({ here }) => here)
  const others = kept.filter(({ id }) => own.every((request) => request.id !== id))
  const isNew = ({ id, answer, txHash }: WalletRequest) =>
    !requests.some((one) => one.id === id && one.answer === answer && one.txHash === txHash)
  return {
    ...state,
    requests: [...others.map((one) => ({ ...one, here: null })), ...own],
    ...(others.some(isNew) ? { attempt: null, insistedOn: [] } : {}),
  }
}
