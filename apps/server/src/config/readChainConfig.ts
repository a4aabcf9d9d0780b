import { type ChainFacts, limits } from '@payment-intents/contract'
import type { Network } from '@payment-intents/core'
import { isLocal } from './isLocal.ts'
import { type RelayerConfig, readRelayer } from './relayer.ts'
import { rpcUrls } from './schemas.ts'
import { integer, type ReadVariable } from './variables.ts'

/** A network that the server follows. */
export type ChainConfig = {
  readonly facts: ChainFacts
  readonly rpcUrls: readonly string[]
  readonly confirmationsRequired: number
  /** Whether a local chain stands in for it, which test helpers may change. */
  readonly development: boolean
  /** The network that wallets get when they add the chain. */
  readonly network: Network
  /** null: payers pay for the gas themselves. */
  readonly relayer: RelayerConfig | null
}

/** Reads the variables of a chain. @returns an empty list if no RPC is set */
export function readChainConfig(
  read: ReadVariable,
  facts: ChainFacts,
  development: boolean,
): ChainConfig[] {
  const urls = read(rpcVariable(facts), rpcUrls)
  const confirmationsRequired = read(
    `CONFIRMATIONS_${facts.chain}_${facts.mode}`.toUpperCase(),
    integer(limits.confirmations.min, limits.confirmations.max, facts.confirmationsRequired),
  )
  const relayer = readRelayer(read, facts)
  const [first] = urls ?? []
  if (!urls || !first) return []
  const local = development && facts.mode === 'testnet' && urls.every(isLocal)
  const { name, nativeSymbol } = facts
  const network = local
    ? { name, nativeSymbol, rpcUrl: first, explorerUrl: null }
    : { name, nativeSymbol, rpcUrl: facts.publicRpcUrl, explorerUrl: facts.explorerUrl }
  return [{ facts, rpcUrls: urls, confirmationsRequired, development: local, network, relayer }]
}

/** The variable that names a chain's providers. */
export function rpcVariable({ chain, mode }: Pick<ChainFacts, 'chain' | 'mode'>): string {
  return `RPC_URL_${chain}_${mode}`.toUpperCase()
}
