import type { DevelopmentChains } from './developmentChains.ts'

/** Unix milliseconds. */
export type ChainTime = {
  readonly now: number
  /** The chain's clock cannot show less. */
  readonly earliest: number
  /** How far it is ahead of this machine's; 0 where that is nothing to speak of. */
  readonly skewMs: number
}

/**
 * Each chain's time: that of a development chain is its own, which test helpers move; another's is what its providers showed.
 *
 * @param measured undefined: nothing follows that chain, and its time is this machine's
 */
export function timeOfChains(
  local: DevelopmentChains | null,
  measured: (chainId: number) => ChainTime | undefined,
): (chainId: number) => ChainTime {
  return (chainId) => {
    const own = local?.find(chainId)?.now()
    const now = own ?? Date.now()
    const time = own === undefined ? measured(chainId) : undefined
    return time ?? { now, earliest: now, skewMs: 0 }
  }
}
