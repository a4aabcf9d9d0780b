import type { CheckoutState } from '../checkout/state.ts'
import type { WalletRequest } from './walletRequests.ts'

/**
 * Replaces stored requests by those read now; this checkout's own requests take precedence. A newer record of another checkout ends this
 * checkout's attempt, and the payer's assurance, which covers only earlier records.
 */
export function mergeStored(state: CheckoutState, stored: readonly WalletRequest[]): CheckoutState {
  const { requests } = state
  const sentRequests = requests.filter(({ sentWith }) => sentWith)
  const others = stored.filter(({ id }) => sentRequests.every((request) => request.id !== id))
  const isNew = ({ id, result, txHash }: WalletRequest) =>
    !requests.some(
      (present) => present.id === id && present.result === result && present.txHash === txHash,
    )
  return {
    ...state,
    requests: [...others.map((present) => ({ ...present, sentWith: null })), ...sentRequests],
    ...(others.some(isNew) ? { attempt: null, dismissed: [] } : {}),
  }
}
