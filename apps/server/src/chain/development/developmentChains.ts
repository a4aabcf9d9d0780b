import { type Chain, chainFactsOf } from '@payment-intents/contract'
import type { ChainHead, DevelopmentChain } from './developmentChain.ts'

/** Every development chain of a server. */
export type DevelopmentChains = {
  /** The names of their networks, as the API calls them; the first is the default. */
  readonly names: readonly Chain[]
  find(chainId: number): DevelopmentChain | undefined
  /** Finds a chain by name, the first without a name; undefined: not a development chain. */
  named(chain: Chain | undefined): DevelopmentChain | undefined
  /** Unix milliseconds by the clock of the first chain. */
  now(): number
  readClocks(): Promise<void>
  /**
   * Moves all clocks to the same time.
   * @returns the newest block of the first chain
   */
  advanceTime(seconds: number): Promise<ChainHead>
  /** Moves all clocks until this chain's shows this time or a later one. Unix seconds. */
  reachTime(chain: DevelopmentChain, timestamp: number): Promise<void>
}

/** @param chains in the order of the contract
 * @returns null without chains */
export function developmentChains(chains: readonly DevelopmentChain[]): DevelopmentChains | null {
  const [first] = chains
  if (!first) return null
  const nameOf = ({ chainId }: DevelopmentChain) => chainFactsOf(chainId).chain

  // Two concurrent calls would both move a clock by the whole difference.
  let last: Promise<unknown> = Promise.resolve()
  function serialize<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }

  async function advanceTime(seconds: number): Promise<ChainHead> {
    const heads = chains.map((chain) => chain.advanceTime(seconds))
    await Promise.all(heads)
    return heads[0] as Promise<ChainHead>
  }

  return {
    names: chains.map(nameOf),
    find: (chainId) => chains.find((chain) => chain.chainId === chainId),
    named: (name) => (name ? chains.find((chain) => nameOf(chain) === name) : first),
    now: first.now,
    async readClocks() {
      await Promise.all(chains.map((chain) => chain.readClock()))
    },
    advanceTime: (seconds) => serialize(() => advanceTime(seconds)),
    reachTime: (chain, timestamp) =>
      serialize(async () => {
        const seconds = await chain.secondsUntil(timestamp)
        if (seconds > 0) await advanceTime(seconds)
        else await chain.mine(1)
      }),
  }
}
