import { chainFactsOf } from '@payment-intents/contract'

export const ofChain = ['chain', 'mode'] as const
/** Metrics name a chain as the API does. */
export function chainLabels(chainId: number) {
  const { chain, mode } = chainFactsOf(chainId)
  return { chain, mode }
}
