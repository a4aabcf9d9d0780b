import { type Mode, modes } from './modes.ts'
import { usdc } from './usdc.ts'

export type { Mode }
export const chainNames = ['base', 'polygon'] as const
export type Chain = (typeof chainNames)[number]

/** A 20-byte address in hexadecimal, with `0x`. */
export type Address = `0x${string}`

export type ChainFacts = {
  readonly mode: Mode
  readonly chain: Chain
  /** EIP-155 chain id. */
  readonly chainId: number
  /** The name in wallets, also used to add the chain to them (EIP-3085). */
  readonly name: string
  /** Symbol of the native coin, which has 18 decimals on all of these chains. */
  readonly nativeSymbol: string
  /** Circle's native USDC, EIP-55 checksummed. */
  readonly usdc: Address
  /** EIP-712 domain of `usdc`; `version` is always `'2'`. */
  readonly usdcDomainName: 'USD Coin' | 'USDC'
  readonly usdcDomainSeparator: `0x${string}`
  /** A different token that payers mistake for USDC; `null` if none exists. */
  readonly lookalike: { readonly symbol: string; readonly address: Address } | null
  readonly explorerUrl: string
  /** A public RPC endpoint for `wallet_addEthereumChain`; too rate-limited to follow the chain. */
  readonly publicRpcUrl: string
  /** Default for `confirmations_required`; confirmations = head − block + 1. */
  readonly confirmationsRequired: number
}

export const usdcDomainVersion = '2'

/** Every network on which the service accepts USDC. */
export const chains = [
  {
    mode: 'mainnet',
    chain: 'base',
    chainId: 8453,
    name: 'Base',
    nativeSymbol: 'ETH',
    usdc: usdc[8453],
    usdcDomainName: 'USD Coin',
    usdcDomainSeparator: '0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f',
    lookalike: { symbol: 'USDbC', address: '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA' },
    explorerUrl: 'https://basescan.org',
    publicRpcUrl: 'https://mainnet.base.org',
    confirmationsRequired: 5,
  },
  {
    mode: 'testnet',
    chain: 'base',
    chainId: 84532,
    name: 'Base Sepolia',
    nativeSymbol: 'ETH',
    usdc: usdc[84532],
    usdcDomainName: 'USDC',
    usdcDomainSeparator: '0x71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818',
    lookalike: null,
    explorerUrl: 'https://sepolia.basescan.org',
    publicRpcUrl: 'https://sepolia.base.org',
    confirmationsRequired: 5,
  },
  {
    mode: 'mainnet',
    chain: 'polygon',
    chainId: 137,
    name: 'Polygon',
    nativeSymbol: 'POL',
    usdc: usdc[137],
    usdcDomainName: 'USD Coin',
    usdcDomainSeparator: '0xcaa2ce1a5703ccbe253a34eb3166df60a705c561b44b192061e28f2a985be2ca',
    lookalike: { symbol: 'USDC.e', address: '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174' },
    explorerUrl: 'https://polygonscan.com',
    publicRpcUrl: 'https://polygon-rpc.com',
    confirmationsRequired: 20,
  },
  {
    mode: 'testnet',
    chain: 'polygon',
    chainId: 80002,
    name: 'Polygon Amoy',
    nativeSymbol: 'POL',
    usdc: usdc[80002],
    usdcDomainName: 'USDC',
    usdcDomainSeparator: '0x5cddc98319864e897e4469bd1d13c2288c677047b54b8cca12bd342adb6be9eb',
    lookalike: null,
    explorerUrl: 'https://amoy.polygonscan.com',
    publicRpcUrl: 'https://rpc-amoy.polygon.technology',
    confirmationsRequired: 20,
  },
] as const satisfies readonly ChainFacts[]

/**
 * Returns the facts of one network.
 *
 * @example
 * ```ts
 * import { chainFacts } from '@payment-intents/contract/chains'
 *
 * chainFacts('testnet', 'base').chainId // 84532
 * ```
 */
export function chainFacts(mode: Mode, chain: Chain): ChainFacts {
  const facts = chains.find((candidate) => candidate.mode === mode && candidate.chain === chain)
  if (!facts)
    throw new Error(
      `There is no ${chain} ${mode}. Chains: ${chainNames.join(', ')}; modes: ${modes.join(', ')}.`,
    )
  return facts
}

/** Returns the facts of the network with an EIP-155 chain id. */
export function chainFactsOf(chainId: number): ChainFacts {
  const facts = chains.find((candidate) => candidate.chainId === chainId)
  if (!facts) throw new Error(`The service takes no USDC on chain ${chainId}.`)
  return facts
}
