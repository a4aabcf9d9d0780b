import type { Address, ChainFacts } from '@payment-intents/contract'
import { createRpc } from '../rpc/rpc.ts'
import { connect } from '../rpc/rpcConnection.ts'
import { checkProvider } from './checkProvider.ts'
import { createProviders, type Providers, type ProvidersOptions } from './providers.ts'

/** Opens the providers at these URLs, without a request. */
export function openProviders(
  options: Omit<ProvidersOptions, 'candidates' | 'chainId'> & {
    readonly facts: ChainFacts
    readonly urls: readonly string[]
    /** Milliseconds for one response; 10,000 by default. */
    readonly timeoutMs?: number
  },
): Providers {
  const { facts, urls, timeoutMs = 10_000 } = options
  return createProviders({
    ...options,
    chainId: facts.chainId,
    candidates: urls.map((url) => {
      const connection = connect(url, { timeoutMs })
      const check = () => checkProvider(connection, facts)
      return { connection, rpc: createRpc(connection, tokensOf(facts)), check }
    }),
  })
}

/** USDC and its lookalike, whose transfers are reported to the merchant as unmatched. */
function tokensOf({ usdc, lookalike }: ChainFacts): Address[] {
  return lookalike ? [usdc, lookalike.address] : [usdc]
}
